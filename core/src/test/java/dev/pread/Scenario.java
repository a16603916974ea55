/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread;

import dev.pread.posix.Backend;
import dev.pread.posix.FaultSystemCalls;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.lucene.store.ChecksumIndexInput;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.apache.lucene.store.IndexOutput;
import org.apache.lucene.store.RandomAccessInput;

/**
 * A file's life in a small directory, making every kind of call: it is written, synced, and read in
 * all ways. What was read goes into a transcript, to be compared with that of a run without faults.
 */
final class Scenario {

  /** A file of read-once size that {@link #prepare} makes and the runs only read. */
  private static final String LARGE = "large";

  private static final int LARGE_LENGTH = 1 << 20;

  static final int BUFFER_SIZE = 256;
  static final int SEQUENTIAL_BUFFER_SIZE = 4096;

  private static final PreadConfig CONFIG =
      PreadConfig.builder()
          .bufferSize(BUFFER_SIZE)
          .sequentialBufferSize(SEQUENTIAL_BUFFER_SIZE)
          .writeBufferSize(4096)
          .directWriteMinSize(0)
          .build();

  private static final int BLOCKS = 13;
  private static final int BLOCK_BITS = 9;

  /** Bytes of a block of the cache, and of what direct I/O is aligned to. */
  static final int BLOCK_SIZE = 1 << BLOCK_BITS;

  /** Which directory it happens in. */
  enum Kind {
    /** One that reads through the page cache, without a cache of our own. */
    UNCACHED,
    /** One that reads through a cache of a few blocks. */
    CACHED,
    /** The same, with what looks like direct I/O from above on every file system. */
    DIRECT;

    /**
     * Returns the backend under test behind a {@link FaultSystemCalls} that suits the directory.
     */
    FaultSystemCalls faults() {
      FaultSystemCalls faults = Fixtures.faults();
      return this == DIRECT ? faults.simulateDirect(BLOCK_SIZE) : faults;
    }

    /** Returns a cache for one directory, to be closed by the caller. */
    BlockCache cache() {
      return this == UNCACHED ? Fixtures.NO_CACHE : Fixtures.tinyCache(BLOCKS, BLOCK_BITS);
    }

    /** Opens one. */
    BasePreadDirectory open(Path folder, PreadConfig config, BlockCache cache, Backend backend)
        throws IOException {
      return this == DIRECT
          ? Fixtures.direct(folder, config, cache, backend)
          : Fixtures.directory(folder, config, cache, backend);
    }
  }

  private Scenario() {}

  /** Makes what the runs expect to find in {@code folder}. */
  static void prepare(Path folder) throws IOException {
    Files.write(folder.resolve(LARGE), Fixtures.randomBytes(1, LARGE_LENGTH));
  }

  /** Removes what a run may have left in {@code folder}. */
  static void cleanUp(Path folder) throws IOException {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
      for (Path file : files) {
        if (!file.endsWith(LARGE)) {
          Files.delete(file);
        }
      }
    }
  }

  /** One run, that adds to {@code transcript} what it read and was told. */
  static void run(
      Path folder, Kind kind, BlockCache cache, Backend backend, List<Object> transcript)
      throws IOException {
    try (BasePreadDirectory directory = kind.open(folder, CONFIG, cache, backend)) {
      write(directory, transcript);
      directory.sync(List.of("data"));
      read(directory, kind, transcript);
      readOnce(directory, transcript);
      directory.deleteFile("data");
    }
  }

  private static void write(BasePreadDirectory directory, List<Object> transcript)
      throws IOException {
    byte[] bytes = Fixtures.randomBytes(2, 10_000);
    try (IndexOutput output = directory.createOutput("data", IOContext.DEFAULT)) {
      for (int count : new int[] {0, 1, 100, 4095, 4096, 4097, 10_000}) {
        output.writeBytes(bytes, 0, count);
        output.writeLong(count);
        output.writeByte((byte) count);
      }
      transcript.add(output.getFilePointer());
      transcript.add(output.getChecksum());
    }
    try (IndexOutput output = directory.createTempOutput("data", "sort", Fixtures.MERGE)) {
      output.writeBytes(bytes, 0, 5000);
      transcript.add(output.getChecksum());
    }
  }

  private static void read(BasePreadDirectory directory, Kind kind, List<Object> transcript)
      throws IOException {
    try (IndexInput input = directory.openInput("data", Fixtures.RANDOM)) {
      transcript.add(input.length());
      transcript.add(input.readLong());
      transcript.add(input.readByte());
      transcript.add(bytes(input, 300));
      input.seek(4000);
      transcript.add(input.readInt());
      transcript.add(input.readShort());
      long[] longs = new long[100];
      input.readLongs(longs, 0, 100);
      transcript.add(LongBuffer.wrap(longs));
      if (kind != Kind.DIRECT) {
        // There it is other threads that read, in no order that a sweep over calls could follow.
        LuceneCalls.prefetch(input, 10_000, 500);
      }
      IndexInput clone = input.clone();
      clone.skipBytes(5000);
      int[] ints = new int[20];
      clone.readInts(ints, 0, 20);
      transcript.add(IntBuffer.wrap(ints));
      float[] floats = new float[200];
      clone.readFloats(floats, 0, 200);
      transcript.add(List.of(floats[0], floats[199]));
      IndexInput slice = LuceneCalls.slice(input, "part", 77, 9000, LuceneCalls.PRELOAD);
      slice.seek(8800);
      transcript.add(bytes(slice, 200));
      RandomAccessInput random = input.randomAccessSlice(1001, 5000);
      transcript.add(random.readByte(0));
      transcript.add(random.readShort(2000));
      transcript.add(random.readInt(4996));
      transcript.add(random.readLong(3001));
      byte[] absolute = new byte[1000];
      LuceneCalls.readBytes(random, 3500, absolute, 0, 1000);
      transcript.add(ByteBuffer.wrap(absolute));
      for (long i = 1; i <= 30; i++) {
        // Here and there, so that a small cache reads block by block.
        transcript.add(random.readLong(i * 2999 % 4990));
        input.seek(i * 7001 % 10_000);
        transcript.add(input.readLong());
      }
      LuceneCalls.updateIOContext(input, Fixtures.MERGE);
      transcript.add(bytes(input, 50));
      LuceneCalls.updateIOContext(input, IOContext.DEFAULT);
      input.seek(input.length() - 1);
      transcript.add(input.readByte());
    }
    try (ChecksumIndexInput input = LuceneCalls.openChecksumInput(directory, "data")) {
      input.seek(input.length());
      transcript.add(input.getChecksum());
    }
  }

  private static void readOnce(BasePreadDirectory directory, List<Object> transcript)
      throws IOException {
    try (IndexInput input = directory.openInput(LARGE, IOContext.READONCE)) {
      transcript.add(input.length());
      input.seek(LARGE_LENGTH - 10_000);
      transcript.add(bytes(input, 10_000));
    }
  }

  private static ByteBuffer bytes(IndexInput input, int count) throws IOException {
    byte[] bytes = new byte[count];
    input.readBytes(bytes, 0, count);
    return ByteBuffer.wrap(bytes);
  }
}
