/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import dev.pread.benchmarks.WrongResult;
import dev.pread.benchmarks.machine.ChildTask;
import dev.pread.benchmarks.machine.DataPattern;
import dev.pread.benchmarks.report.Figures;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
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
import org.apache.lucene.store.IndexOutput;
import org.apache.lucene.util.IOUtils;

/**
 * Writes and reads files in one way, in a JVM that knows no other. The bytes come from an array and
 * end in one, as those of Lucene do.
 *
 * @param way who reads; others write as that one reads
 * @param folder with the file to read, and for those that are written
 * @param length of all files, a multiple of all buffers
 * @param buffers bytes of the blocks, and of buffers, in the order they are measured
 * @param runs of each
 */
record StreamsTask(Way way, String folder, long length, List<Integer> buffers, int runs)
    implements ChildTask<List<Figures>> {
  /** Of {@link DataPattern}. */
  static final String DATA = "data";

  private record Conditions(String operation, int buffer, String cache, String run) {}

  /**
   * Where the bytes of a new file go, block by block; closing it may still write some.
   *
   * @param writer takes all of an array, which may change afterwards
   * @param resource is closed at the end
   */
  record Sink(Writer writer, Closeable resource) implements Closeable {
    /** Takes a block. */
    interface Writer {
      void write(byte[] block) throws IOException;
    }

    @Override
    public void close() throws IOException {
      resource.close();
    }
  }

  @Override
  public List<Figures> run() throws IOException {
    Path in = Path.of(folder);
    List<Figures> figures = new ArrayList<>();
    for (int buffer : buffers) {
      Path file = in.resolve("written");
      for (int run = 0; run < runs; run++) {
        Files.deleteIfExists(file);
        long start = System.nanoTime();
        write(file, buffer);
        long written = System.nanoTime();
        // Whoever has written it: the file is on the device then.
        IOUtils.fsync(file, false);
        long synced = System.nanoTime();
        read(in.resolve(DATA), buffer);
        long read = System.nanoTime();
        String when = figures.isEmpty() ? "first" : "later";
        figures.add(rate(written - start, new Conditions("write", buffer, "dirty", when)));
        figures.add(rate(synced - start, new Conditions("write+sync", buffer, "synced", when)));
        figures.add(rate(read - synced, new Conditions("read", buffer, "warm", when)));
      }
      verify(file, buffer);
      Files.delete(file);
    }
    return figures;
  }

  private Figures rate(long nanos, Conditions conditions) {
    Figures figures = Figures.under(conditions);
    figures.add(Plausibility.THROUGHPUT, length * 1e3 / nanos);
    return figures;
  }

  /** Writes blocks that are cheap to make, and shows one that is lost, doubled or moved. */
  void write(Path file, int buffer) throws IOException {
    byte[] block = new byte[buffer];
    ByteBuffer words = words(block);
    try (Sink sink = create(file, buffer)) {
      for (long offset = 0; offset < length; offset += buffer) {
        mark(words, offset);
        sink.writer().write(block);
      }
    }
  }

  /** Fills a block, and returns its words. */
  private static ByteBuffer words(byte[] block) {
    ByteBuffer words = ByteBuffer.wrap(block).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < block.length; i += Long.BYTES) {
      words.putLong(i, DataPattern.word(i));
    }
    return words;
  }

  /** Makes the first and the last word those of {@link DataPattern}; the rest is always alike. */
  private static void mark(ByteBuffer words, long offset) {
    int last = words.capacity() - Long.BYTES;
    words.putLong(0, DataPattern.word(offset)).putLong(last, DataPattern.word(offset + last));
  }

  private Sink create(Path file, int buffer) throws IOException {
    return switch (way) {
      case INPUT_STREAM -> {
        // It has no buffer: arrays as long as a buffer go past it in any case.
        OutputStream out = Files.newOutputStream(file, StandardOpenOption.CREATE_NEW);
        yield new Sink(out::write, out);
      }
      case CHANNEL_HEAP -> {
        FileChannel channel = channel(file);
        yield new Sink(block -> writeFully(channel, ByteBuffer.wrap(block)), channel);
      }
      case CHANNEL_DIRECT -> {
        FileChannel channel = channel(file);
        ByteBuffer direct = ByteBuffer.allocateDirect(buffer);
        yield new Sink(block -> writeFully(channel, direct.clear().put(block).flip()), channel);
      }
      case MMAP_SEGMENT -> FfmCalls.mappedSink(channel(file), length);
      default -> {
        Directory directory = way.directory(file.getParent());
        IndexOutput out =
            directory.createOutput(
                file.getFileName().toString(), IOContext.flush(new FlushInfo(1, length)));
        yield new Sink(
            block -> out.writeBytes(block, 0, block.length), () -> IOUtils.close(out, directory));
      }
    };
  }

  private static FileChannel channel(Path file) throws IOException {
    return FileChannel.open(
        file, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE);
  }

  private static void writeFully(FileChannel channel, ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      channel.write(bytes);
    }
  }

  /** Reads a file of {@link DataPattern}, and checks the ends of every block. */
  void read(Path file, int buffer) throws IOException {
    byte[] block = new byte[buffer];
    try (Source source = way.open(file, buffer, IOContext.READONCE)) {
      Source.BlockReader reader = source.reader();
      for (long offset = 0; offset < length; offset += buffer) {
        reader.read(offset, block);
        DataPattern.check(block, offset, buffer);
      }
    }
  }

  /**
   * Reads a file that was written, byte by byte and in another way than any that is measured.
   *
   * @throws WrongResult if it has other bytes or another length
   */
  void verify(Path file, int buffer) throws IOException {
    if (Files.size(file) != length) {
      throw WrongResult.bytes(Math.min(length, Files.size(file)), 0);
    }
    byte[] expected = new byte[buffer];
    ByteBuffer words = words(expected);
    try (InputStream in = Files.newInputStream(file)) {
      for (long offset = 0; offset < length; offset += buffer) {
        mark(words, offset);
        if (!Arrays.equals(in.readNBytes(buffer), expected)) {
          throw WrongResult.bytes(offset, buffer);
        }
      }
    }
  }
}
