/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import dev.pread.benchmarks.machine.ChildJvm;
import dev.pread.benchmarks.machine.DataPattern;
import dev.pread.benchmarks.report.Figures;
import dev.pread.benchmarks.suite.Session;
import dev.pread.benchmarks.suite.SuiteOptions;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FlushInfo;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexOutput;
import org.apache.lucene.util.IOConsumer;
import org.apache.lucene.util.IOUtils;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Runs every kind of {@link StreamsTask}, in a JVM of its own for each round. */
@Command(name = "streams")
public final class StreamsCommand extends FileCommand {
  private static final List<Way> WAYS =
      List.of(
          Way.INPUT_STREAM,
          Way.CHANNEL_HEAP,
          Way.CHANNEL_DIRECT,
          Way.MMAP_SEGMENT,
          Way.MMAP,
          Way.NIOFS,
          Way.PREAD,
          Way.DIRECT);

  private static final List<Integer> BUFFERS = List.of(1 << 10, 8 << 10);

  @Option(names = "--file-size", paramLabel = "SIZE")
  private Long fileSize;

  /** Runs of each JVM, which are all kept, the first too. */
  private int runs;

  @Override
  public void check(SuiteOptions options) {
    fileSize = fileLength("--file-size", fileSize, (options.quick() ? 32 : 1024) * MEBI);
    runs = options.quick() ? 1 : 3;
  }

  @Override
  protected void measureOnBed() throws IOException {
    Path data = data(StreamsTask.DATA, fileSize, BUFFERS.size() * fileSize);
    session.rounds(
        name(),
        available(WAYS, data),
        (way, round) -> {
          // Whatever has been written meanwhile, the file that is read is in the page cache.
          try (InputStream in = Files.newInputStream(data)) {
            in.transferTo(OutputStream.nullOutputStream());
          }
          List<Integer> buffers = Session.rotated(BUFFERS, round);
          String folder = data.getParent().toString();
          run(
              way.contender(),
              new StreamsTask(way, folder, fileSize, buffers, runs),
              4.0 * fileSize * BUFFERS.size() * runs / SLOW_BYTES_PER_SECOND,
              ChildJvm.Result::value);
        });
  }

  /**
   * Writes and reads files in one way, in a JVM that knows no other. The bytes come from an array
   * and end in one, as those of Lucene do.
   *
   * @param length of all files, a multiple of all buffers
   * @param buffers bytes of the blocks, and of buffers, in the order they are measured
   */
  record StreamsTask(Way way, String folder, long length, List<Integer> buffers, int runs)
      implements ChildJvm.Task<List<Figures>> {
    /** The name of the file of {@link DataPattern}. */
    static final String DATA = "data";

    private record Conditions(String operation, int buffer, String cache, String run) {}

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
        new MarkedBlock(buffer).verify(file, length);
        Files.delete(file);
      }
      return figures;
    }

    private Figures rate(long nanos, Conditions conditions) {
      Figures figures = Figures.under(conditions);
      figures.add(FileCommand.BYTES, length * 1e3 / nanos);
      return figures;
    }

    /** Writes a file of {@link MarkedBlock}s; closing it may still write some. */
    void write(Path file, int buffer) throws IOException {
      switch (way) {
        case INPUT_STREAM -> {
          // It has no buffer: arrays as long as a buffer go past it in any case.
          try (OutputStream out = Files.newOutputStream(file, StandardOpenOption.CREATE_NEW)) {
            blocks(buffer, out::write);
          }
        }
        case CHANNEL_HEAP -> {
          try (FileChannel channel = channel(file)) {
            blocks(buffer, block -> writeFully(channel, ByteBuffer.wrap(block)));
          }
        }
        case CHANNEL_DIRECT -> {
          ByteBuffer direct = ByteBuffer.allocateDirect(buffer);
          try (FileChannel channel = channel(file)) {
            blocks(buffer, block -> writeFully(channel, direct.clear().put(block).flip()));
          }
        }
        case MMAP_SEGMENT -> {
          try (FileChannel channel = channel(file)) {
            FfmCalls.write(channel, length, new MarkedBlock(buffer), buffer);
          }
        }
        default -> {
          IOContext context = IOContext.flush(new FlushInfo(1, length));
          String name = file.getFileName().toString();
          try (Directory directory = way.directory(file.getParent());
              IndexOutput out = directory.createOutput(name, context)) {
            blocks(buffer, block -> out.writeBytes(block, 0, block.length));
          }
        }
      }
    }

    private void blocks(int buffer, IOConsumer<byte[]> writer) throws IOException {
      MarkedBlock block = new MarkedBlock(buffer);
      for (long offset = 0; offset < length; offset += buffer) {
        writer.accept(block.at(offset));
      }
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
  }
}
