/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.trace;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.pread.PreadDirectory;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.lucene.store.ByteBuffersDirectory;
import org.apache.lucene.store.ChecksumIndexInput;
import org.apache.lucene.store.DataAccessHint;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.apache.lucene.store.IndexOutput;
import org.apache.lucene.store.MergeInfo;
import org.apache.lucene.store.NIOFSDirectory;
import org.apache.lucene.store.RandomAccessInput;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every way to read is seen, and reads what it should. */
class RecordingDirectoryTest {
  private static final int BLOCK = TraceFormat.BLOCK_SIZE;
  private static final int LENGTH = 40 * BLOCK + 100;
  private static final IOContext MERGE = IOContext.merge(new MergeInfo(1, 1, false, 1));

  @TempDir private Path temp;

  private final byte[] content = new byte[LENGTH];
  private Directory plain;
  private Path file;
  private TraceWriter trace;
  private RecordingDirectory directory;

  @BeforeEach
  void open() throws IOException {
    open(new ByteBuffersDirectory());
  }

  private void open(Directory in) throws IOException {
    plain = in;
    new SplittableRandom(1).nextBytes(content);
    try (IndexOutput out = plain.createOutput("data", IOContext.DEFAULT)) {
      out.writeBytes(content, content.length);
    }
    file = temp.resolve("test.trace");
    trace = TraceWriter.create(file);
    directory = new RecordingDirectory(plain, trace);
  }

  @AfterEach
  void close() throws IOException {
    trace.close();
    directory.close();
  }

  /** What was recorded, as file:block/flags, flags left out if 0. */
  private List<String> recorded() throws IOException {
    trace.close();
    List<String> events = new ArrayList<>();
    try (TraceReader reader = TraceReader.open(file)) {
      while (reader.next()) {
        if (reader.event() == TraceReader.Event.ACCESS) {
          String flags = reader.flags() == 0 ? "" : "/" + reader.flags();
          events.add(reader.file() + ":" + reader.block() + flags);
        } else if (reader.event() == TraceReader.Event.DELETE) {
          events.add("delete " + reader.file());
        }
      }
    }
    return events;
  }

  /** Something that reads. */
  private interface Read {
    void from(IndexInput in) throws IOException;
  }

  /** Reads with a fresh input at the end of block 2, over the border, and expects both blocks. */
  private void sees(Read read) throws IOException {
    open(new ByteBuffersDirectory());
    try (IndexInput in = directory.openInput("data", IOContext.DEFAULT)) {
      in.seek(3 * BLOCK - 1);
      read.from(in);
    }
    assertEquals(List.of("0:2", "0:3"), recorded());
  }

  @Test
  @SuppressWarnings("deprecation") // It is there, so it may be called.
  void everyMethodIsSeen() throws IOException {
    sees(
        in -> {
          in.readByte();
          in.readByte();
        });
    sees(in -> in.readShort());
    sees(in -> in.readInt());
    sees(in -> in.readLong());
    sees(in -> in.readBytes(new byte[2], 0, 2));
    sees(in -> in.readBytes(new byte[2], 0, 2, false));
    sees(in -> in.readInts(new int[2], 0, 2));
    sees(in -> in.readLongs(new long[2], 0, 2));
    sees(in -> in.readFloats(new float[2], 0, 2));
    sees(in -> in.readGroupVInt(new int[4], 0));
    sees(in -> ((RandomAccessInput) in).readShort(3 * BLOCK - 1));
    sees(in -> ((RandomAccessInput) in).readInt(3 * BLOCK - 1));
    sees(in -> ((RandomAccessInput) in).readLong(3 * BLOCK - 1));
    sees(in -> ((RandomAccessInput) in).readBytes(3 * BLOCK - 1, new byte[2], 0, 2));
    sees(
        in -> {
          ((RandomAccessInput) in).readByte(3 * BLOCK - 1);
          ((RandomAccessInput) in).readByte(3 * BLOCK);
        });
    sees(in -> in.randomAccessSlice(2 * BLOCK, 2 * BLOCK).readLong(BLOCK - 1));
    sees(in -> in.slice("s", 2 * BLOCK + 7, 2 * BLOCK).readBytes(new byte[BLOCK], 0, BLOCK));
    sees(in -> in.clone().readLong());
    sees(
        in ->
            in.slice("s", 5, 30 * BLOCK)
                .slice("t", 2 * BLOCK, 5000)
                .clone()
                .readBytes(new byte[4096], 0, 4096));
  }

  @Test
  void numbersOfSeveralBytesAreSeen() throws IOException {
    Directory numbers = new ByteBuffersDirectory();
    try (IndexOutput out = numbers.createOutput("numbers", IOContext.DEFAULT)) {
      out.writeBytes(new byte[BLOCK - 1], BLOCK - 1);
      out.writeVInt(300);
      out.writeBytes(new byte[BLOCK - 3], BLOCK - 3);
      out.writeVLong(1L << 40);
      out.writeString("text");
    }
    try (Directory recording = new RecordingDirectory(numbers, trace);
        IndexInput in = recording.openInput("numbers", IOContext.DEFAULT)) {
      in.seek(BLOCK - 1);
      assertEquals(300, in.readVInt());
      in.seek(2 * BLOCK - 2);
      assertEquals(1L << 40, in.readVLong());
      assertEquals("text", in.readString());
    }
    assertEquals(List.of("1:0", "1:1", "1:2"), recorded());
  }

  @Test
  void noReadNoEntry() throws IOException {
    try (IndexInput in = directory.openInput("data", IOContext.DEFAULT)) {
      in.seek(5 * BLOCK);
      in.skipBytes(10);
      in.prefetch(0, 100);
      in.readBytes(new byte[0], 0, 0);
      in.clone().seek(1);
      in.slice("s", 0, 10);
      in.isLoaded();
      in.seek(LENGTH);
      assertThrows(EOFException.class, in::readByte);
    }
    assertEquals(List.of(), recorded());
  }

  @Test
  void currentBlockIsNotRecordedAgain() throws IOException {
    try (IndexInput in = directory.openInput("data", IOContext.DEFAULT)) {
      for (int i = 0; i < BLOCK; i++) {
        in.readByte();
      }
      ((RandomAccessInput) in).readByte(17);
      in.clone().readByte();
      IndexInput clone = in.clone();
      in.readByte();
      clone.readByte();
      in.seek(0);
      in.readInt();
      in.readBytes(new byte[3 * BLOCK], 0, 3 * BLOCK);
      in.readByte();
      in.slice("s", 0, BLOCK).readByte();
    }
    // The clones are at block 1 and know of no block.
    assertEquals(
        List.of("0:0", "0:1", "0:1", "0:1", "0:0", "0:1", "0:2", "0:3", "0:0"), recorded());
  }

  @Test
  void contextsAreFlagged() throws IOException {
    IOContext sequential = IOContext.DEFAULT.withHints(DataAccessHint.SEQUENTIAL);
    try (IndexInput merge = directory.openInput("data", MERGE);
        IndexInput in = directory.openInput("data", IOContext.DEFAULT);
        IndexInput announced = directory.openInput("data", sequential)) {
      merge.readByte();
      merge.clone().readByte();
      merge.slice("s", 0, 10).readByte();
      merge.slice("s", BLOCK, 10, IOContext.DEFAULT).readByte();
      in.readByte();
      in.slice("s", BLOCK, 10, MERGE).readByte();
      announced.readByte();
      in.updateIOContext(sequential);
      in.seek(2 * BLOCK);
      in.readByte();
      in.clone().readByte();
      in.updateIOContext(IOContext.DEFAULT);
      in.seek(3 * BLOCK);
      in.readByte();
    }
    assertEquals(
        List.of("0:0/1", "0:0/1", "0:0/1", "0:1", "0:0", "0:1/1", "0:0/4", "0:2/4", "0:2/4", "0:3"),
        recorded());
  }

  @Test
  void checksumsAreReadOnce() throws IOException {
    try (ChecksumIndexInput in = directory.openChecksumInput("data")) {
      in.seek(2 * BLOCK + 1);
    }
    assertEquals(List.of("0:0/5", "0:1/5", "0:2/5"), recorded());
  }

  @Test
  void mergeThreadsAreFlagged() throws Exception {
    Thread thread =
        new Thread(
            () -> {
              try (IndexInput in = directory.openInput("data", IOContext.DEFAULT)) {
                in.readByte();
              } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
              }
            },
            "Lucene Merge Thread #0");
    thread.start();
    thread.join();
    assertEquals(List.of("0:0/2"), recorded());
  }

  @Test
  void deletionsAreRecorded() throws IOException {
    directory.rename("data", "other");
    directory.deleteFile("other");
    try (IndexOutput out = directory.createOutput("data", IOContext.DEFAULT)) {
      out.writeBytes(content, content.length);
    }
    try (IndexInput in = directory.openInput("data", IOContext.DEFAULT)) {
      in.readByte();
    }
    assertEquals(List.of("delete 0", "1:0"), recorded());
  }

  @Test
  void readsAreThoseOfTheOtherDirectory() throws IOException {
    compareReads(new ByteBuffersDirectory());
    compareReads(new NIOFSDirectory(temp.resolve("niofs")));
    compareReads(new PreadDirectory(temp.resolve("pread")));
  }

  /** Random operations on random clones and slices, against the content and a model of blocks. */
  private void compareReads(Directory in) throws IOException {
    open(in);
    List<String> expected = new ArrayList<>();
    SplittableRandom random = new SplittableRandom(99);
    try (IndexInput whole = directory.openInput("data", IOContext.DEFAULT)) {
      for (int round = 0; round < 100; round++) {
        int start = random.nextInt(LENGTH);
        int length = random.nextInt(LENGTH - start + 1);
        IndexInput input = random.nextBoolean() ? whole.slice("s", start, length) : whole.clone();
        Model model = new Model(input.length() == LENGTH ? 0 : start, expected);
        for (int i = 0; i < 50; i++) {
          step(random, input, model);
        }
      }
    }
    List<String> recorded = recorded();
    // One by one: a message with both lists would have megabytes.
    for (int i = 0; i < Math.min(expected.size(), recorded.size()); i++) {
      assertEquals(expected.get(i), recorded.get(i), "entry " + i);
    }
    assertEquals(expected.size(), recorded.size());
  }

  private void step(SplittableRandom random, IndexInput in, Model model) throws IOException {
    int size = (int) in.length();
    int position = random.nextInt(size + 1);
    int count = random.nextInt(1 + Math.min(size - position, random.nextInt(1, 3 * BLOCK)));
    byte[] read = new byte[count];
    switch (random.nextInt(3)) {
      case 0 -> {
        in.seek(position);
        in.readBytes(read, 0, count);
      }
      case 1 -> ((RandomAccessInput) in).readBytes(position, read, 0, count);
      default -> {
        in.seek(position);
        for (int i = 0; i < count; i++) {
          read[i] = in.readByte();
        }
      }
    }
    model.read(position, count);
    byte[] right = new byte[count];
    System.arraycopy(content, model.offset + position, right, 0, count);
    assertArrayEquals(right, read);
  }

  /** The blocks that one input should have recorded. */
  private static final class Model {
    private final int offset;
    private final List<String> entries;
    private int current = -1;

    Model(int offset, List<String> entries) {
      this.offset = offset;
      this.entries = entries;
    }

    void read(int position, int count) {
      for (int i = offset + position; i < offset + position + count; i++) {
        if (i / BLOCK != current) {
          current = i / BLOCK;
          entries.add("0:" + current);
        }
      }
    }
  }
}
