/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.grid;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.benchmarks.Cli;
import dev.pread.benchmarks.ExitCode;
import dev.pread.benchmarks.child.JavaOptions;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PlanTest {
  private static final long GIB = 1L << 30;

  private static Plan plan(List<Strategy> named, boolean quick) throws Exception {
    return new Plan(
        new Plan.Axes(
            List.of(Regime.values()), List.of(Order.values()), List.of(4096), List.of(1, 4)),
        Plan.contenders(named, quick),
        new Plan.Times(1, 1, 0.2, 1, 0.2),
        JavaOptions.parse(List.of(), List.of()));
  }

  @Test
  void filesOfTheRegimes() {
    assertEquals(GIB / 4, Regime.FITS.fileBytes(GIB));
    assertEquals(GIB, Regime.LIMIT.fileBytes(GIB));
    assertEquals(4 * GIB, Regime.EXCEEDS.fileBytes(GIB));
    assertEquals(GIB / 4, Regime.COLD.fileBytes(GIB));
    assertEquals(GIB / 4, Regime.FITS.warmBytes(GIB / 4));
    assertEquals(GIB, Regime.EXCEEDS.warmBytes(4 * GIB), "as much as there is memory");
    assertEquals(0, Regime.COLD.warmBytes(GIB / 4));
    assertEquals(85L << 20, Regime.FITS.fileBytes((343L << 20) + 12345), "whole MiB");
  }

  @Test
  void cachesLeaveRoomForTheProcess() {
    for (long memory : new long[] {256L << 20, 384L << 20, GIB, 64 * GIB}) {
      for (Strategy strategy : Strategy.values()) {
        long cache = strategy.cacheBytes(memory, JmhFork.HEAP);
        assertTrue(cache >= 0 && cache <= memory - JmhFork.HEAP - (96L << 20), strategy.label());
        assertEquals(strategy.keeps() == Strategy.Keeps.BLOCKS, cache > 0, strategy.label());
      }
      assertTrue(
          Strategy.PREAD.cacheBytes(memory, JmhFork.HEAP) > Regime.FITS.fileBytes(memory),
          "what fits is wholly in the cache");
    }
  }

  @Test
  void quickRunsHaveEveryRegimeAndEveryStrategy() throws Exception {
    List<Plan.Turn> turns = plan(null, true).turns(1, List.of(), List.of());
    Set<Strategy> strategies = EnumSet.noneOf(Strategy.class);
    Set<Regime> regimes = EnumSet.noneOf(Regime.class);
    for (Plan.Turn turn : turns) {
      strategies.add(turn.strategy());
      regimes.add(turn.point().regime());
    }
    assertEquals(EnumSet.allOf(Strategy.class), strategies);
    assertEquals(EnumSet.allOf(Regime.class), regimes);
  }

  @Test
  void copiesAreMeasuredOnlyWhereTheFileFitsAndColdFilesOnlyAtRandom() throws Exception {
    for (Plan.Turn turn : plan(null, false).turns(2, List.of(), List.of())) {
      assertTrue(turn.strategy() != Strategy.MEMCPY || turn.point().regime() == Regime.FITS);
      assertTrue(turn.point().regime() != Regime.COLD || turn.point().order() == Order.RANDOM);
    }
  }

  @Test
  void contendersTakeTurnsWithinEachPoint() throws Exception {
    List<Strategy> two = List.of(Strategy.MMAP, Strategy.PREAD);
    List<Plan.Turn> turns = plan(two, true).turns(2, List.of(Regime.LIMIT), List.of());
    // Two rounds of (fits, exceeds) x 2 orders x 2 numbers of threads and cold x 2.
    assertEquals(2 * 10 * 2, turns.size());
    for (int i = 0; i < turns.size(); i += 2) {
      assertEquals(turns.get(i).point(), turns.get(i + 1).point());
      assertEquals(Set.copyOf(two), Set.of(turns.get(i).strategy(), turns.get(i + 1).strategy()));
    }
    assertEquals(turns.get(0).point(), turns.get(20).point());
    assertFalse(turns.get(0).strategy() == turns.get(20).strategy(), "the other one first");
    assertTrue(turns.stream().noneMatch(turn -> turn.point().regime() == Regime.LIMIT));
    assertTrue(
        plan(two, true).turns(1, List.of(), List.of(Strategy.PREAD)).stream()
            .allMatch(turn -> turn.strategy() == Strategy.MMAP));
  }

  @Test
  void laterOptionsWin() throws Exception {
    Plan plan =
        new Plan(
            plan(null, true).axes(),
            plan(null, true).contenders(),
            plan(null, true).times(),
            JavaOptions.parse(
                List.of("pread=-Ddev.pread.cache.bytes=1m", "all=-XX:+UseSerialGC"),
                Strategy.labels()));
    List<String> words = new JmhFork(plan, GIB, 1).jvmArgs(Strategy.PREAD);
    int ours = words.indexOf("-Ddev.pread.cache.bytes=" + (GIB / 4 + (16L << 20)));
    assertTrue(ours >= 0 && ours < words.indexOf("-Ddev.pread.cache.bytes=1m"), words.toString());
    assertFalse(words.contains("-XX:+UseG1GC"));
    assertTrue(
        new JmhFork(plan(null, true), GIB, 1).jvmArgs(Strategy.MMAP).contains("-XX:+UseG1GC"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--strategies=mmap,nosuch | unknown strategy 'nosuch': use some of",
        "--bytes=1000             | --bytes 1000 is no length of a read",
        "--bytes=2097152          | --bytes 2097152 is no length of a read",
        "--threads=0              | --threads is 0: it must be between 1 and 1024",
        "--iterations=0           | --iterations is 0",
        "--cold-seconds=0.1       | --cold-seconds is 0.1",
        "--java-option=nosuch=-Xmx1g | for none of",
        "--regimes=hot            | hot",
      })
  void refusesWhatMakesNoSense(String option, String message) {
    Cli run = Cli.run("grid", option);
    assertEquals(ExitCode.USAGE, run.code(), run.err());
    assertTrue(run.err().contains(message), run.err());
    assertEquals(1, run.err().lines().count(), run.err());
  }
}
