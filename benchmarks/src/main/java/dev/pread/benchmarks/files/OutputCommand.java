/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import dev.pread.benchmarks.machine.ChildJvm;
import dev.pread.benchmarks.machine.WrongResult;
import dev.pread.benchmarks.report.Figures;
import dev.pread.benchmarks.report.Metric;
import dev.pread.benchmarks.suite.SuiteOptions;
import dev.pread.harness.ProcessFigures;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FlushInfo;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexOutput;
import picocli.CommandLine.Command;

/** Runs an {@link OutputTask} of each directory, with and without asking. */
@Command(name = "output")
public final class OutputCommand extends FileCommand {
  private static final List<Way> WAYS = List.of(Way.MMAP, Way.NIOFS, Way.PREAD, Way.DIRECT);

  private long length;

  @Override
  public void check(SuiteOptions options) {
    length = (options.quick() ? 8 : 64) * MEBI;
  }

  @Override
  protected void measureOnBed() throws IOException {
    Path read = data("data", MEBI, 2 * length);
    session.rounds(
        name(),
        available(WAYS, read),
        (way, round) -> {
          for (boolean ask : new boolean[] {false, true}) {
            String folder = read.getParent().toString();
            run(
                way.contender(),
                new OutputTask(way, folder, length, ask),
                2 * length / SLOW_BYTES_PER_SECOND,
                ChildJvm.Result::value);
          }
        });
  }

  /**
   * Makes small writes of mixed sizes through one directory's output, and counts the write calls
   * that the process makes for them. A file that is not measured comes first, so that classes are
   * loaded and compiled.
   *
   * @param ask for the position after every write, or else at the end
   */
  record OutputTask(Way way, String folder, long length, boolean ask)
      implements ChildJvm.Task<List<Figures>> {
    /**
     * The length of the blocks that the file is made of, piece by piece: eight times a prime, so
     * that no buffer of a power of two has at any place what it had there when it was filled
     * before.
     */
    static final int BLOCK = 65_528;

    private static final String NAME = "written";
    private static final int MAX_PIECE = 256;

    private record Conditions(String getFilePointer) {}

    @Override
    public List<Figures> run() throws IOException {
      writeFile();
      return List.of(writeFile());
    }

    private Figures writeFile() throws IOException {
      Path file = Path.of(folder, NAME);
      MarkedBlock block = new MarkedBlock(BLOCK);
      try (Directory directory = way.directory(file.getParent())) {
        long before = ProcessFigures.io("syscw");
        long start = System.nanoTime();
        long writes;
        try (IndexOutput out =
            directory.createOutput(NAME, IOContext.flush(new FlushInfo(1, length)))) {
          writes = write(out, block);
        }
        long nanos = System.nanoTime() - start;
        long calls = before < 0 ? before : ProcessFigures.io("syscw") - before;
        block.verify(file, length);
        Figures figures = Figures.under(new Conditions(ask ? "after every write" : "at the end"));
        figures.add(FileCommand.BYTES, length * 1e3 / nanos);
        figures.addKnown(Metric.fact("writes", ""), writes);
        figures.addKnown(Metric.listedCost("write calls", ""), calls);
        return figures;
      } finally {
        Files.deleteIfExists(file);
      }
    }

    /**
     * Makes all writes, the same ones each time.
     *
     * @return how many there were
     * @throws WrongResult if a position is not that of the bytes written
     */
    long write(IndexOutput out, MarkedBlock block) throws IOException {
      SplittableRandom random = new SplittableRandom(SEED);
      byte[] bytes = null;
      long writes = 0;
      for (long written = 0; written < length; writes++) {
        int from = (int) (written % BLOCK);
        if (from == 0) {
          bytes = block.at(written);
        }
        long left = Math.min(length - written, BLOCK - from);
        int piece = (int) Math.min(left, 1 + random.nextInt(MAX_PIECE));
        if (piece == 1) {
          out.writeByte(bytes[from]);
        } else {
          out.writeBytes(bytes, from, piece);
        }
        written += piece;
        if (ask && out.getFilePointer() != written) {
          throw WrongResult.bytes(written, piece);
        }
      }
      if (out.getFilePointer() != length) {
        throw WrongResult.bytes(length, 0);
      }
      return writes;
    }
  }
}
