/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.index.DirectoryKind;
import dev.pread.benchmarks.load.DataPattern;
import dev.pread.benchmarks.machine.ChildTask;
import dev.pread.benchmarks.measure.WrongBytesException;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FlushInfo;
import org.apache.lucene.store.IOContext;

/**
 * Writes and reads files in one way, in a JVM that knows no other. The bytes come from an array and
 * end in one, as those of Lucene do. The last file written with each buffer is left for the parent
 * to look at.
 *
 * @param kind who
 * @param folder with the file to read, and for those that are written
 * @param length of all files, a multiple of all buffers
 * @param buffers bytes of the blocks, and of buffers, in the order they are measured
 * @param runs of each
 */
record StreamsTask(Kind kind, String folder, long length, List<Integer> buffers, int runs)
    implements ChildTask<StreamsTask.Result> {
  /** Of {@link DataPattern}. */
  static final String DATA = "data";

  private static final VarHandle WORD =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  /** Who takes part. */
  enum Kind {
    STREAM("stream", Way.INPUT_STREAM),
    HEAP_BUFFER("heap-buffer", Way.CHANNEL_HEAP),
    DIRECT_BUFFER("direct-buffer", Way.CHANNEL_DIRECT),
    MAPPED_BUFFER("mapped-buffer", Way.MMAP_SEGMENT),
    MMAP("mmap", Way.MMAP),
    NIOFS("niofs", Way.NIOFS),
    PREAD("pread", Way.PREAD),
    /** {@code DirectPreadDirectory}, which has nothing to do with direct buffers. */
    DIRECT_DIRECTORY("direct-directory", Way.DIRECT);

    private final String text;
    private final Way reads;

    Kind(String text, Way reads) {
      this.text = text;
      this.reads = reads;
    }

    /**
     * Looks a name up.
     *
     * @throws UserError if it is unknown
     */
    static Kind named(String name) throws UserError {
      for (Kind kind : values()) {
        if (kind.text.equals(name)) {
          return kind;
        }
      }
      List<String> names = Arrays.stream(values()).map(Kind::text).toList();
      throw new UserError("unknown contender '" + name + "': use " + String.join(", ", names));
    }

    /** As reports name it. */
    String text() {
      return text;
    }

    /** How it reads. */
    Way reads() {
      return reads;
    }
  }

  /**
   * All runs.
   *
   * @param runs in the order they were made
   * @param fellBack whether a file that was to be read or written directly was not
   */
  record Result(List<Times> runs, boolean fellBack) {}

  /**
   * One run.
   *
   * @param buffer in bytes
   * @param writeNanos from before the file is made until it is closed
   * @param syncNanos after that, until it is on the device
   * @param readNanos from before the other file is opened until it is closed
   */
  record Times(int buffer, long writeNanos, long syncNanos, long readNanos) {}

  /** Where it writes. */
  static Path written(Path folder, int buffer) {
    return folder.resolve("written-" + buffer);
  }

  @Override
  public Result run() throws IOException, UserError {
    Path in = Path.of(folder);
    List<Times> times = new ArrayList<>();
    boolean fellBack = false;
    for (int buffer : buffers) {
      Path file = written(in, buffer);
      for (int run = 0; run < runs; run++) {
        Files.deleteIfExists(file);
        long start = System.nanoTime();
        try (Sink sink = create(file, buffer)) {
          write(sink, buffer);
        }
        long written = System.nanoTime();
        sync(file);
        long synced = System.nanoTime();
        fellBack |= read(in.resolve(DATA), buffer);
        long read = System.nanoTime();
        times.add(new Times(buffer, written - start, synced - written, read - synced));
      }
    }
    return new Result(times, fellBack);
  }

  private Sink create(Path file, int buffer) throws IOException, UserError {
    return switch (kind) {
      case STREAM -> Sink.stream(file);
      case HEAP_BUFFER -> Sink.heapBuffer(file);
      case DIRECT_BUFFER -> Sink.directBuffer(file, buffer);
      case MAPPED_BUFFER -> Sink.mapped(file, length);
      default -> {
        Directory directory = directory();
        IOContext context = IOContext.flush(new FlushInfo(1, length));
        yield Sink.output(
            directory.createOutput(file.getFileName().toString(), context), directory);
      }
    };
  }

  private Directory directory() throws IOException, UserError {
    return DirectoryKind.named(kind.reads().label()).openForReading(Path.of(folder));
  }

  /** Writes blocks that are cheap to make, and shows one that is lost, doubled or moved. */
  private void write(Sink sink, int buffer) throws IOException {
    byte[] block = newBlock(buffer);
    for (long offset = 0; offset < length; offset += buffer) {
      mark(block, offset);
      sink.write(block);
    }
  }

  private static byte[] newBlock(int bytes) {
    byte[] block = new byte[bytes];
    for (int i = 0; i < bytes; i += Long.BYTES) {
      WORD.set(block, i, DataPattern.word(i));
    }
    return block;
  }

  /** Makes the first and the last word those of {@link DataPattern}; the rest is always alike. */
  private static void mark(byte[] block, long offset) {
    int last = block.length - Long.BYTES;
    WORD.set(block, 0, DataPattern.word(offset));
    WORD.set(block, last, DataPattern.word(offset + last));
  }

  /** Returns when a file that has been written and closed is on the device. */
  private void sync(Path file) throws IOException, UserError {
    if (kind.compareTo(Kind.MMAP) >= 0) {
      try (Directory directory = directory()) {
        directory.sync(List.of(file.getFileName().toString()));
      }
    } else {
      try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
        channel.force(true);
      }
    }
  }

  /** Whether it read through the page cache, against what it was told. */
  boolean read(Path file, int buffer) throws IOException {
    byte[] block = new byte[buffer];
    try (Source source = kind.reads().open(file, buffer, IOContext.READONCE)) {
      Source.BlockReader reader = source.reader();
      for (long offset = 0; offset < length; offset += buffer) {
        reader.read(offset, block);
        DataPattern.check(block, offset, buffer);
      }
      return source.fellBack();
    }
  }

  /**
   * Reads a file that was written, byte by byte and in another way than any that is measured.
   *
   * @throws WrongBytesException if it has other bytes or another length
   */
  void verify(Path file, int buffer) throws IOException {
    if (Files.size(file) != length) {
      throw new WrongBytesException(Math.min(length, Files.size(file)), 0);
    }
    byte[] expected = newBlock(buffer);
    try (InputStream in = new BufferedInputStream(Files.newInputStream(file), 1 << 16)) {
      for (long offset = 0; offset < length; offset += buffer) {
        mark(expected, offset);
        if (!Arrays.equals(in.readNBytes(buffer), expected)) {
          throw new WrongBytesException(offset, buffer);
        }
      }
    }
  }
}
