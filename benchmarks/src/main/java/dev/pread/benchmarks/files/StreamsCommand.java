/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import dev.pread.benchmarks.machine.ByteSize;
import dev.pread.benchmarks.machine.Checks;
import dev.pread.benchmarks.machine.ChildJvm;
import dev.pread.benchmarks.machine.ChildTask;
import dev.pread.benchmarks.machine.DataPattern;
import dev.pread.benchmarks.machine.TestBed;
import dev.pread.benchmarks.machine.UserError;
import dev.pread.benchmarks.report.Figures;
import dev.pread.benchmarks.suite.Session;
import dev.pread.benchmarks.suite.SuiteOptions;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FlushInfo;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexOutput;
import org.apache.lucene.util.IOConsumer;
import org.apache.lucene.util.IOUtils;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Runs every kind of {@link StreamsTask}, in a JVM of its own for each round. */
@Command(
    name = "streams",
    description =
        "Writes and reads whole files through streams, channels, mappings and Lucene's outputs"
            + " and inputs.")
public final class StreamsCommand extends FileCommand {
  private static final List<Way> ALL =
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

  /** A rate slower than any disk's, for the time limit of a child. */
  private static final double SLOW_BYTES_PER_SECOND = 20e6;

  @Option(
      names = "--file-size",
      paramLabel = "SIZE",
      converter = ByteSize.class,
      description = "Length of the files; default: 1g, with --quick 32m")
  private Long fileSize;

  @Option(
      names = "--runs",
      paramLabel = "N",
      description =
          "Runs of each JVM, which are all kept, the first too; default: 3, with --quick 1")
  private Integer runs;

  @Option(
      names = "--contenders",
      paramLabel = "NAME",
      split = ",",
      description =
          "Who takes part, of input-stream, channel-heap, channel-direct, mmap-segment, mmap, niofs,"
              + " pread, direct; default: all")
  private List<Way> contenders = ALL;

  @Override
  public void check(SuiteOptions options) {
    fileSize = Checks.fileLength("--file-size", fileSize, (options.quick() ? 32 : 1024) * MEBI);
    runs = Objects.requireNonNullElse(runs, options.quick() ? 1 : 3);
    Checks.positive("--runs", runs);
    if (!ALL.containsAll(contenders)) {
      throw new UserError("--contenders " + contenders + ": use some of " + ALL);
    }
  }

  @Override
  void measure(Session session, TestBed bed) throws IOException {
    bed.folder().require((1 + BUFFERS.size()) * fileSize);
    Path data = data(session, bed, StreamsTask.DATA, fileSize);
    ChildJvm jvm = children(bed, HEAP);
    session.rounds(
        name(),
        available(session, contenders, data),
        (way, round) -> {
          // Whatever has been written meanwhile, the file that is read is in the page cache.
          try (InputStream in = Files.newInputStream(data)) {
            in.transferTo(OutputStream.nullOutputStream());
          }
          List<Integer> buffers = new ArrayList<>(BUFFERS);
          Collections.rotate(buffers, -round);
          String folder = data.getParent().toString();
          double bytes = 4.0 * fileSize * BUFFERS.size() * runs;
          run(
              session,
              jvm,
              way.contender(),
              new StreamsTask(way, folder, fileSize, buffers, runs),
              bytes / SLOW_BYTES_PER_SECOND);
        });
  }

  /**
   * Takes the bytes of a new file, block by block; closing it may still write some.
   *
   * @param writer takes all of an array, which may change afterwards
   * @param resource is closed at the end
   */
  record Sink(IOConsumer<byte[]> writer, Closeable resource) implements Closeable {
    @Override
    public void close() throws IOException {
      resource.close();
    }
  }

  /**
   * Writes and reads files in one way, in a JVM that knows no other. The bytes come from an array
   * and end in one, as those of Lucene do.
   *
   * @param way who reads; others write as that one reads
   * @param folder with the file to read, and for those that are written
   * @param length of all files, a multiple of all buffers
   * @param buffers bytes of the blocks, and of buffers, in the order they are measured
   * @param runs of each
   */
  record StreamsTask(Way way, String folder, long length, List<Integer> buffers, int runs)
      implements ChildTask<List<Figures>> {
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

    /** Writes a file of {@link MarkedBlock}s. */
    void write(Path file, int buffer) throws IOException {
      MarkedBlock block = new MarkedBlock(buffer);
      try (Sink sink = create(file, buffer)) {
        for (long offset = 0; offset < length; offset += buffer) {
          sink.writer().accept(block.at(offset));
        }
      }
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
          IOContext context = IOContext.flush(new FlushInfo(1, length));
          IndexOutput out = directory.createOutput(file.getFileName().toString(), context);
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
  }
}
