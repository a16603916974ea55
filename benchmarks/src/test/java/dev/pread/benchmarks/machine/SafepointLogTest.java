/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What JVMs write about safepoints, as Temurin 25.0.3 wrote it, and damaged. */
class SafepointLogTest {
  private static final String G1 =
      """
      [34782511649529ns][gc] Using G1
      [34782837618473ns][gc] GC(0) Pause Young (Normal) (G1 Evacuation Pause) 15M->4M(64M) 7.759ms
      [34782840075321ns][safepoint] Safepoint "G1CollectForAllocation", Time since last: 310107904 ns, Reaching safepoint: 86217 ns, At safepoint: 7792414 ns, Leaving safepoint: 2429102 ns, Total: 10307733 ns, Threads: 1 runnable, 10 total
      [34782942164341ns][gc       ] GC(1) Pause Young (Normal) (G1 Evacuation Pause) 29M->9M(64M) 9.750ms
      [34782942205893ns][safepoint] Safepoint "G1CollectForAllocation", Time since last: 92333771 ns, Reaching safepoint: 2271 ns, At safepoint: 9771183 ns, Leaving safepoint: 25119 ns, Total: 9798573 ns, Threads: 0 runnable, 10 total
      [34822263003123ns][safepoint] Safepoint "ThreadDump", Time since last: 10109904 ns, Reaching safepoint: 82917 ns, At safepoint: 11857 ns, Leaving safepoint: 10217 ns, Total: 104991 ns, Threads: 1 runnable, 11 total
      """;

  private static final String OTHERS =
      """
      [34787062547107ns][safepoint] Safepoint "ZRelocateStartYoung", Time since last: 34678 ns, Reaching safepoint: 83136 ns, At safepoint: 4225 ns, Leaving safepoint: 9316 ns, Total: 96677 ns, Threads: 1 runnable, 10 total
      [34787062574315ns][gc       ] GC(734) Minor Collection (Allocation Rate) 26M(41%)->24M(38%) 0.001s
      [34788471958245ns][gc       ] GC(57) Concurrent cleanup (unload classes) 59M->9M(64M) 0.015ms
      [34789894292914ns][gc       ] GC(593) Pause Young (Allocation Failure) 30M->15M(61M) 0.428ms
      """;

  private static SafepointLog.Summary all(String text) {
    return SafepointLog.parse(text, 0, Long.MAX_VALUE);
  }

  @Test
  void timesAndPauses() {
    SafepointLog.Summary summary = all(G1);
    assertEquals(3, summary.count());
    assertEquals(82_917, summary.p50());
    assertEquals(86_217, summary.p99());
    assertEquals(86_217, summary.max());
    assertEquals(17_509_000, summary.pauseTotal(), 1);
    assertEquals(9_750_000, summary.pauseMax(), 1);
    assertEquals(428_000, all(OTHERS).pauseTotal(), 1, "no concurrent work");
  }

  @Test
  void onlyTheStretchThatIsAskedFor() {
    SafepointLog.Summary summary = SafepointLog.parse(G1, 34782942164341L, 34822263003123L);
    assertEquals(1, summary.count());
    assertEquals(2_271, summary.max());
    assertEquals(9_750_000, summary.pauseTotal(), 1);
    assertEquals(
        new SafepointLog.Summary(0, 0, 0, 0, 0, 0), SafepointLog.parse(G1, 1, 34782511649530L));
  }

  @Test
  void percentilesAreByTheNearestRank() {
    StringBuilder text = new StringBuilder();
    for (int i = 1; i <= 200; i++) {
      text.append("[").append(i).append("ns][safepoint] Safepoint \"ThreadDump\", ");
      text.append("Reaching safepoint: ").append(i).append(" ns, At safepoint: 1 ns\n");
    }
    SafepointLog.Summary summary = all(text.toString());
    assertEquals(100, summary.p50());
    assertEquals(198, summary.p99());
    assertEquals(200, summary.max());
  }

  @Test
  void damagedLinesArePassedOver() {
    String damaged =
        """
        [99999999999999999999ns][safepoint] Safepoint "X", Reaching safepoint: 5 ns, At
        [12ns][safepoint] Safepoint "X", Time since last: 3 ns, Reaching saf
        [13][safepoint] Safepoint "X", Reaching safepoint: 5 ns, At
        \u0000\u0000

        [gc] GC(1) Pause""";
    assertEquals(new SafepointLog.Summary(0, 0, 0, 0, 0, 0), all(damaged));
    assertEquals(3, all(damaged + "\n" + G1).count());
  }

  /** The whole way, with the JVM that runs this: its options, its ticks, its log. */
  @Test
  void jvmIsBroughtToSafepointsEveryTenMilliseconds(@TempDir Path temp) throws Exception {
    Path log = temp.resolve("log");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(SafepointLog.options(log));
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Ticked.class.getName()));
    Process process = new ProcessBuilder(command).inheritIO().start();
    assertTrue(process.waitFor(60, TimeUnit.SECONDS));
    assertEquals(0, process.exitValue());
    SafepointLog.Summary summary = all(Files.readString(log));
    assertTrue(summary.count() >= 3, summary.toString());
    assertTrue(summary.p50() > 0 && summary.max() < 60e9, summary.toString());
  }

  /** A process that allocates nothing, so that no collector brings it to a safepoint. */
  static final class Ticked {
    private Ticked() {}

    /** Spins for half a second. */
    public static void main(String[] args) {
      ExecutorService ticker = SafepointLog.ticker();
      long end = System.nanoTime() + 500_000_000L;
      while (System.nanoTime() - end < 0) {
        Thread.onSpinWait();
      }
      ticker.close();
    }
  }
}
