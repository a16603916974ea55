/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.grid;

import java.lang.module.ModuleFinder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/** What JMH is told of one cell, and of the JVM for it. Immutable. */
final class JmhFork {
  /** Of every fork: nothing of what is measured is in it but a block for each thread. */
  static final long HEAP = 64L << 20;

  private static final String PROPERTIES = "dev.pread.";

  private static final String VECTOR = "jdk.incubator.vector";

  private final Plan plan;
  private final long memory;
  private final long seed;

  /**
   * @param memory limit, by which caches are sized
   * @param seed of this round
   */
  JmhFork(Plan plan, long memory, long seed) {
    this.plan = plan;
    this.memory = memory;
    this.seed = seed;
  }

  /** Seconds that are asked for. */
  double seconds(Plan.Turn turn) {
    Plan.Times times = plan.times();
    return times.checkSeconds()
        + (turn.point().regime() == Regime.COLD
            ? times.checkSeconds() + times.iterations() * times.coldSeconds()
            : times.warmups() * times.seconds() / 2 + times.iterations() * times.seconds());
  }

  /**
   * The options, all but the JVM.
   *
   * @param file of the cell's regime
   * @param codeFile to compile by where that is to stay cold
   * @param log of the iterations
   */
  ChainedOptionsBuilder options(Plan.Turn turn, Path file, Path codeFile, Path log) {
    Plan.Times times = plan.times();
    Plan.Point point = turn.point();
    boolean cold = point.regime() == Regime.COLD;
    ForkSettings settings =
        new ForkSettings(
            point.regime(), codeFile.toString(), seed, times.checkSeconds(), log.toString(), true);
    return new OptionsBuilder()
        .include("^" + GridBenchmark.class.getName().replace(".", "\\.") + "\\.read$")
        .param("strategy", turn.strategy().label())
        .param("bytes", Integer.toString(point.bytes()))
        .param("order", point.order().label())
        .param("file", file.toString())
        .param("settings", settings.json())
        .forks(1)
        .threads(point.threads())
        .warmupIterations(cold ? 0 : times.warmups())
        .warmupTime(millis(times.seconds() / 2))
        .measurementIterations(times.iterations())
        .measurementTime(millis(cold ? times.coldSeconds() : times.seconds()))
        .shouldFailOnError(true)
        .jvmArgs(jvmArgs(turn.strategy()).toArray(new String[0]));
  }

  private static TimeValue millis(double seconds) {
    return TimeValue.milliseconds(Math.max(1, Math.round(seconds * 1000)));
  }

  /** Later ones win: ours, then those of this process, then those of the command line. */
  List<String> jvmArgs(Strategy strategy) {
    List<String> words = new ArrayList<>();
    words.add("-Xms" + HEAP);
    words.add("-Xmx" + HEAP);
    // A cache without FFM is in direct buffers, which would be limited by the heap's size.
    words.add("-XX:MaxDirectMemorySize=" + memory);
    words.add("--enable-native-access=ALL-UNNAMED");
    // Writing the counters for jps and jstat stalls threads when the disk is busy.
    words.add("-XX:+PerfDisableSharedMem");
    List<String> own = plan.javaOptions().of(strategy.label());
    if (own.stream().noneMatch(option -> option.matches("-XX:\\+Use\\w+GC"))) {
      // By itself the JVM would choose its collector by the memory limit.
      words.add("-XX:+UseG1GC");
    }
    if (ModuleFinder.ofSystem().find(VECTOR).isPresent()) {
      words.add("--add-modules=" + VECTOR);
    }
    long cache = strategy.cacheBytes(memory, HEAP);
    if (cache > 0) {
      words.add("-Ddev.pread.cache.bytes=" + cache);
    }
    given().forEach((name, value) -> words.add("-D" + name + "=" + value));
    words.addAll(own);
    return words;
  }

  /** This project's system properties of this process. */
  static Map<String, String> given() {
    Map<String, String> given = new TreeMap<>();
    for (String name : System.getProperties().stringPropertyNames()) {
      if (name.startsWith(PROPERTIES)) {
        given.put(name, System.getProperty(name));
      }
    }
    return given;
  }
}
