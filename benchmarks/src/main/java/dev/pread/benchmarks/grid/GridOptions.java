/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.grid;

import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.child.JavaOptions;
import dev.pread.benchmarks.suite.SuiteOptions;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.Option;

/** What of the grid is measured, and for how long. */
final class GridOptions {
  private static final int PAGE = 4096;
  private static final int MAX_BYTES = 1 << 20;
  private static final int MAX_THREADS = 1024;

  @Option(
      names = "--regimes",
      paramLabel = "NAME",
      split = ",",
      description =
          "How the file compares with --memory: fits (a quarter), limit (as long), exceeds (four"
              + " times), cold (a quarter, nothing of it in memory); default: all")
  private List<Regime> regimes;

  @Option(
      names = "--strategies",
      paramLabel = "NAME",
      split = ",",
      description =
          "How to read: mmap-segment, mmap-segment-random, mmap-segment-random-prefetch, ffm-pread,"
              + " channel-direct, channel-heap, ffm-odirect, mmap, niofs, direct-io-directory, pread,"
              + " direct, mmap-prefetch, pread-prefetch, direct-prefetch, memcpy; default: all, with"
              + " --quick all where the file fits and some elsewhere")
  private List<String> strategies;

  @Option(
      names = "--bytes",
      paramLabel = "N",
      split = ",",
      description = "Length of a read, multiples of 4096; default: 4096,16384, with --quick 4096")
  private List<Integer> bytes;

  @Option(
      names = "--orders",
      paramLabel = "NAME",
      split = ",",
      description =
          "Where the sixteen reads of an operation are: random, sequential; default: both, with"
              + " --quick random; cold files are read at random only")
  private List<Order> orders;

  @Option(
      names = "--threads",
      paramLabel = "N",
      split = ",",
      description = "Threads that read at the same time; default: 1,4,8,16, with --quick 4")
  private List<Integer> threads;

  @Option(
      names = "--warmup-iterations",
      paramLabel = "N",
      description =
          "Iterations of JMH, half as long as the measured ones, that do not count; cold files have"
              + " none; default: 2, with --quick 1")
  private Integer warmupIterations;

  @Option(
      names = "--iterations",
      paramLabel = "N",
      description = "Measured iterations of each fork; default: 3, with --quick 1")
  private Integer iterations;

  @Option(
      names = "--iteration-seconds",
      paramLabel = "S",
      description = "Length of a measured iteration; default: 2, with --quick 0.2")
  private Double iterationSeconds;

  @Option(
      names = "--cold-seconds",
      paramLabel = "S",
      description =
          "Length of an iteration with a cold file, whose last fifth has to be warm; default: 10,"
              + " with --quick 1")
  private Double coldSeconds;

  @Option(
      names = "--check-seconds",
      paramLabel = "S",
      description =
          "Time in each fork, before anything is measured, in which every byte is checked and the"
              + " code compiled; default: 1, with --quick 0.2")
  private Double checkSeconds;

  @Option(
      names = "--java-option",
      paramLabel = "NAME=OPTION",
      description =
          "An option for the JVM of one strategy, or of all, like"
              + " direct=-Ddev.pread.cache.bytes=256m; repeatable")
  private List<String> javaOptions = new ArrayList<>();

  /** Made by picocli, or for the defaults. */
  GridOptions() {}

  /** Fills in defaults, and checks that all makes sense. */
  Plan plan(SuiteOptions suite) throws UserError {
    boolean quick = suite.quick();
    List<Strategy> named = null;
    if (strategies != null) {
      named = new ArrayList<>();
      for (String name : new LinkedHashSet<>(strategies)) {
        named.add(Strategy.named(name.strip()));
      }
    }
    Plan.Axes axes =
        new Plan.Axes(
            distinct(regimes, List.of(Regime.values())),
            distinct(orders, quick ? List.of(Order.RANDOM) : List.of(Order.values())),
            distinct(bytes, quick ? List.of(4096) : List.of(4096, 16384)),
            distinct(threads, quick ? List.of(4) : List.of(1, 4, 8, 16)));
    for (int length : axes.bytes()) {
      if (length < PAGE || length > MAX_BYTES || length % PAGE != 0) {
        throw new UserError(
            "--bytes " + length + " is no length of a read: use multiples of 4096 up to 1048576");
      }
    }
    for (int count : axes.threads()) {
      within("--threads", count, 1, MAX_THREADS);
    }
    Plan.Times times =
        new Plan.Times(
            or(warmupIterations, quick ? 1 : 2),
            or(iterations, quick ? 1 : 3),
            or(iterationSeconds, quick ? 0.2 : 2.0),
            or(coldSeconds, quick ? 1.0 : 10.0),
            or(checkSeconds, quick ? 0.2 : 1.0));
    within("--warmup-iterations", times.warmups(), 0, 1000);
    within("--iterations", times.iterations(), 1, 1000);
    within("--iteration-seconds", times.seconds(), 0.01, 3600);
    within("--cold-seconds", times.coldSeconds(), 0.5, 3600);
    within("--check-seconds", times.checkSeconds(), 0, 3600);
    JavaOptions options = JavaOptions.parse(javaOptions, Strategy.labels());
    return new Plan(axes, Plan.contenders(named, quick), times, options);
  }

  private static <T> List<T> distinct(List<T> given, List<T> otherwise) {
    Set<T> set = new LinkedHashSet<>(given == null ? otherwise : given);
    return List.copyOf(set);
  }

  private static <T> T or(T given, T otherwise) {
    return given == null ? otherwise : given;
  }

  private static void within(String option, double value, double min, double max) throws UserError {
    if (!(value >= min && value <= max)) {
      throw new UserError(
          option
              + " is "
              + Plan.number(value)
              + ": it must be between "
              + Plan.number(min)
              + " and "
              + Plan.number(max));
    }
  }
}
