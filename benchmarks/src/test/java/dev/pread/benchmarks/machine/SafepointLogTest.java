/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What JVMs write about safepoints, as Temurin 25.0.3 wrote it, and damaged. */
class SafepointLogTest {
  private static final String LOG =
      """
      [34782511649529ns][gc] Using G1
      [34782837618473ns][gc] GC(0) Pause Young (Normal) (G1 Evacuation Pause) 15M->4M(64M) 7.759ms
      [34782840075321ns][safepoint] Safepoint "G1CollectForAllocation", Time since last: 310107904 ns, Reaching safepoint: 86217 ns, At safepoint: 7792414 ns, Leaving safepoint: 2429102 ns, Total: 10307733 ns, Threads: 1 runnable, 10 total
      [34782942164341ns][gc       ] GC(1) Pause Young (Normal) (G1 Evacuation Pause) 29M->9M(64M) 9.750ms
      [34782942205893ns][safepoint] Safepoint "G1CollectForAllocation", Time since last: 92333771 ns, Reaching safepoint: 2271 ns, At safepoint: 9771183 ns, Leaving safepoint: 25119 ns, Total: 9798573 ns, Threads: 0 runnable, 10 total
      [34788471958245ns][gc       ] GC(57) Concurrent cleanup (unload classes) 59M->9M(64M) 0.015ms
      [34822263003123ns][safepoint] Safepoint "ThreadDump", Time since last: 10109904 ns, Reaching safepoint: 82917 ns, At safepoint: 11857 ns, Leaving safepoint: 10217 ns, Total: 104991 ns, Threads: 1 runnable, 11 total
      [34822263003124ns][safepoint] Safepoint "X", Time since last: 3 ns, Reaching saf
      """;

  @TempDir private Path temp;

  private SafepointLog.Summary read(long from, long to) throws Exception {
    return SafepointLog.read(Files.writeString(temp.resolve("log"), LOG), from, to);
  }

  /** Histograms have three digits. */
  private static void assertNear(long expected, long figure) {
    assertTrue(Math.abs(figure - expected) <= expected / 1000, expected + ", not " + figure);
  }

  @Test
  void timesAndPausesOfTheStretchThatIsAskedFor() throws Exception {
    SafepointLog.Summary all = read(0, Long.MAX_VALUE);
    assertEquals(3, all.reaching().getTotalCount());
    assertNear(82_917, all.reaching().getValueAtPercentile(50));
    assertNear(86_217, all.reaching().getMaxValue());
    assertEquals(2, all.pauses().getTotalCount());
    assertNear(9_750_000, all.pauses().getMaxValue());
    SafepointLog.Summary some = read(34782942164341L, 34822263003123L);
    assertEquals(1, some.reaching().getTotalCount());
    assertNear(2_271, some.reaching().getMaxValue());
    assertNear(9_750_000, some.pauses().getMaxValue());
    SafepointLog.Summary none = read(1, 34782511649530L);
    assertEquals(0, none.reaching().getTotalCount() + none.pauses().getTotalCount());
  }
}
