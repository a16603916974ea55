/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import dev.pread.benchmarks.machine.ChildJvm;
import dev.pread.benchmarks.machine.JavaOptions;
import dev.pread.benchmarks.machine.Regime;
import dev.pread.benchmarks.machine.UserError;
import dev.pread.benchmarks.machine.WrongResult;
import dev.pread.benchmarks.report.Cell;
import dev.pread.benchmarks.report.Contender;
import dev.pread.benchmarks.report.Figures;
import dev.pread.benchmarks.report.Metric;
import dev.pread.benchmarks.suite.Session;
import dev.pread.benchmarks.suite.SuiteOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Measures every way to read a file, where it fits into memory and where it does not: arranges the
 * files, the memory limit and the turns of the contenders.
 */
@Command(name = "grid")
public final class GridCommand extends FileCommand {
  static final Metric THROUGHPUT = Metric.throughput("ops/ms");

  /** Nothing of what is measured is in the heap but a block for each thread. */
  static final long HEAP = 64 * MEBI;

  /**
   * How much faster than copies in memory reads may be: machines have better and worse minutes, and
   * one process copies up to 1.3 times as fast as the next, whatever its own iterations say.
   */
  private static final double TOLERANCE = 1.5;

  @Option(names = "--regimes", paramLabel = "NAME", split = ",")
  private List<Regime> regimes = List.of(Regime.values());

  @Option(names = "--strategies", paramLabel = "NAME", split = ",")
  private List<Way> strategies = Way.GRID;

  @Option(names = "--bytes", paramLabel = "N", split = ",")
  private List<Integer> bytes;

  @Option(names = "--orders", paramLabel = "NAME", split = ",")
  private List<Order> orders;

  @Option(names = "--announced", paramLabel = "N")
  private int announced = Kernel.READS;

  @Option(names = "--threads", paramLabel = "N", split = ",")
  private List<Integer> threads;

  @Option(names = "--iteration-seconds", paramLabel = "S")
  private Double seconds;

  @Mixin private JavaOptions options = new JavaOptions();

  private final Map<Regime, List<Way>> contenders = new EnumMap<>(Regime.class);
  private final Map<Regime, Path> files = new EnumMap<>(Regime.class);
  private boolean quick;
  private double checkSeconds;

  record Point(Regime regime, Order order, int bytes, int threads) {
    @Override
    public String toString() {
      return String.join(", ", Figures.map(this).values());
    }
  }

  @Override
  ChildJvm jvm() {
    return new ChildJvm(session.main(), bed, HEAP, options);
  }

  @Override
  public void check(SuiteOptions suite) {
    quick = suite.quick();
    memory = suite.memory();
    orders =
        Objects.requireNonNullElse(
            orders, quick ? List.of(Order.RANDOM) : List.of(Order.RANDOM, Order.SEQUENTIAL));
    bytes = Objects.requireNonNullElse(bytes, quick ? List.of(4096) : List.of(4096, 16384));
    threads = Objects.requireNonNullElse(threads, quick ? List.of(4) : List.of(1, 4, 8, 16));
    seconds = Objects.requireNonNullElse(seconds, quick ? 0.2 : 2.0);
    checkSeconds = quick ? 0.2 : 1.0;
    bytes.forEach(length -> checkRead(length, 4096));
    if (announced < 1 || announced % Kernel.READS != 0) {
      throw new UserError("--announced " + announced + ": name a multiple of " + Kernel.READS);
    }
    options.check(Way.GRID.stream().map(Way::toString).toList());
    for (Regime regime : regimes) {
      List<Way> ways = new ArrayList<>(strategies);
      if (regime != Regime.FITS) {
        ways.remove(Way.MEMCPY);
      }
      contenders.put(regime, ways);
    }
  }

  @Override
  protected void measureOnBed() throws IOException {
    long all = contenders.keySet().stream().mapToLong(at -> at.fileBytes(memory)).distinct().sum();
    bed.folder().require(all);
    for (Map.Entry<Regime, List<Way>> entry : contenders.entrySet()) {
      long size = entry.getKey().fileBytes(memory);
      Path file = data("data-" + size / MEBI + "m", size, 0);
      files.put(entry.getKey(), file);
      entry.getValue().retainAll(available(entry.getValue(), file));
    }
    session.note(name() + ": an operation is 16 reads; " + announced + " are announced together");
    int[] turns = {0};
    // In each round the contenders of one point run one after the other, in turning order.
    session.rounds(
        name(),
        points(),
        (point, round) -> {
          for (Way way : Session.rotated(contenders.get(point.regime()), turns[0]++)) {
            bed.drop(List.copyOf(files.values()));
            measure(point, way, round);
          }
        });
    if (!session.stop().requested()) {
      checkAgainstCopies(session.recorder().run(false).cells());
    }
  }

  /**
   * Fails where a file that fits is read faster than memory is copied: then the measurement is
   * wrong. One sample, as in a quick run, proves nothing.
   */
  static void checkAgainstCopies(List<Cell> cells) {
    List<Cell> rates = cells.stream().filter(one -> one.metric().equals(THROUGHPUT)).toList();
    for (Cell copies : rates) {
      if (copies.contender().role() == Contender.Role.CEILING) {
        rates.stream()
            .filter(one -> one.conditions().equals(copies.conditions()))
            .filter(one -> one.samples().size() > 1)
            .filter(one -> one.median() > TOLERANCE * copies.median())
            .forEach(
                one -> {
                  throw new WrongResult("faster than copies in memory: " + one + ", " + copies);
                });
      }
    }
  }

  private List<Point> points() {
    List<Point> points = new ArrayList<>();
    for (Regime regime : contenders.keySet()) {
      for (Order order : orders) {
        for (int length : bytes) {
          for (int count : threads) {
            points.add(new Point(regime, order, length, count));
          }
        }
      }
    }
    return points;
  }

  private void measure(Point point, Way way, int round) throws IOException {
    JmhTask.Times times =
        quick ? new JmhTask.Times(1, 1, seconds) : new JmhTask.Times(2, 3, seconds);
    Map<String, Object> params =
        Map.of(
            "way",
            way,
            "regime",
            point.regime(),
            "order",
            point.order(),
            "bytes",
            point.bytes(),
            "announced",
            announced,
            "file",
            files.get(point.regime()),
            "seed",
            SEED + round,
            "checkSeconds",
            checkSeconds);
    // A cache without FFM is in direct buffers, which would be limited by the heap's size.
    List<String> words = List.of("-XX:MaxDirectMemorySize=" + memory);
    double reading = point.regime().fileBytes(memory) / SLOW_BYTES_PER_SECOND;
    try {
      run(
          way.contender(),
          JmhTask.of(ReadBenchmark.class, params, point.threads(), times, words),
          2 * checkSeconds + 4 * seconds + reading,
          result -> {
            List<Figures> figures = result.value().figures(point, THROUGHPUT, 1);
            figures
                .get(0)
                .addKnown(Metric.fact("peak memory", "bytes"), result.usage().peakBytes());
            return figures;
          });
    } catch (ChildJvm.Killed e) {
      session.skip(name() + ": " + way + " (" + point + ")", e.getMessage());
    }
  }
}
