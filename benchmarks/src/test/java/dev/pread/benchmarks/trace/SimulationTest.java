/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.trace;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.benchmarks.StopSignal;
import dev.pread.benchmarks.policy.PolicyKind;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** From a trace to hits, on traces that can be counted by hand. */
class SimulationTest {
  private static final int BLOCK = TraceFormat.BLOCK_SIZE;

  @TempDir private Path temp;

  private interface Script {
    void write(TraceWriter trace);
  }

  private Trace trace(Script script) throws IOException {
    Path file = temp.resolve("test.trace");
    try (TraceWriter trace = TraceWriter.create(file)) {
      script.write(trace);
    }
    return Trace.load(file);
  }

  private static List<Simulation.Row> run(
      Trace trace, String cache, int blockSize, Bypass bypass, PolicyKind... policies) {
    Simulation.Options options =
        new Simulation.Options(
            List.of(CacheSize.parse(cache)),
            List.of(blockSize),
            List.of(bypass),
            List.of(policies));
    try (StopSignal stop = StopSignal.ofShutdown()) {
      List<Integer> done = new ArrayList<>();
      List<Simulation.Row> rows = new Simulation(options, stop).run(trace, done::add);
      assertEquals(List.of(1), done);
      return rows;
    }
  }

  @Test
  void countsHitsOfEachPolicy() throws IOException {
    Trace trace =
        trace(
            t -> {
              t.file("a", 100 * BLOCK);
              for (int block : new int[] {0, 1, 2, 0, 1, 2}) {
                t.access(0, block, 0);
              }
            });
    Simulation.Row row =
        run(trace, "2%", BLOCK, Bypass.NONE, PolicyKind.LRU, PolicyKind.OPT).get(0);
    assertEquals("test.trace", row.trace());
    assertEquals(2, row.capacity());
    assertEquals(6, row.accesses());
    assertEquals(3, row.distinct());
    // LRU always throws away what comes next; the bound keeps 0 and 1.
    assertEquals(List.of(0L, 2L), row.hits());
    assertEquals(2 / 6.0, row.hitRatio(1));
  }

  @Test
  void bypassedAccessesAreNotSeen() throws IOException {
    Trace trace =
        trace(
            t -> {
              t.file("a", 10 * BLOCK);
              t.access(0, 0, 0);
              t.access(0, 1, TraceFormat.ONCE);
              t.access(0, 2, TraceFormat.MERGE_THREAD);
              t.access(0, 3, TraceFormat.ONCE | TraceFormat.MERGE_THREAD);
              t.access(0, 4, TraceFormat.SEQUENTIAL);
              t.access(0, 0, 0);
            });
    assertArrayEquals(new long[] {0, 1, 2, 3, 4, 0}, Calls.of(trace, BLOCK, Bypass.NONE).all());
    assertArrayEquals(new long[] {0, 2, 4, 0}, Calls.of(trace, BLOCK, Bypass.CONTEXT).all());
    assertArrayEquals(new long[] {0, 2, 0}, Calls.of(trace, BLOCK, Bypass.HINTS).all());
    assertArrayEquals(new long[] {0, 4, 0}, Calls.of(trace, BLOCK, Bypass.MERGES).all());
    Simulation.Row none = run(trace, "40%", BLOCK, Bypass.NONE, PolicyKind.LRU).get(0);
    assertEquals(List.of(0L), none.hits());
    Simulation.Row merges = run(trace, "40%", BLOCK, Bypass.MERGES, PolicyKind.LRU).get(0);
    assertEquals(List.of(1L), merges.hits());
    assertEquals(3, merges.accesses());
  }

  @Test
  void deletedFilesFreeTheirBlocks() throws IOException {
    Script reads =
        t -> {
          t.file("a", 2 * BLOCK);
          t.file("b", 2 * BLOCK);
          t.access(1, 0, 0);
          t.access(0, 0, 0);
          t.access(0, 1, 0);
        };
    Script rest =
        t -> {
          t.access(1, 1, 0);
          t.access(1, 0, 0);
        };
    Trace kept =
        trace(
            t -> {
              reads.write(t);
              rest.write(t);
            });
    Trace deleted =
        trace(
            t -> {
              reads.write(t);
              t.deleted("a");
              rest.write(t);
            });
    for (PolicyKind kind : List.of(PolicyKind.LRU, PolicyKind.CLOCK, PolicyKind.SIEVE)) {
      assertEquals(List.of(0L), run(kept, "12k", BLOCK, Bypass.NONE, kind).get(0).hits());
      assertEquals(List.of(1L), run(deleted, "12k", BLOCK, Bypass.NONE, kind).get(0).hits());
    }
    long[] forgotten = Calls.of(deleted, BLOCK, Bypass.NONE).all();
    assertEquals(2, Arrays.stream(forgotten).filter(call -> call < 0).count());
    assertEquals(4 * BLOCK, deleted.indexBytes());
  }

  @Test
  void indexIsAsLargeAsWhatIsThereAtOnce() throws IOException {
    Trace trace =
        trace(
            t -> {
              t.file("a", 1_000);
              t.deleted("a");
              t.file("b", 700);
              t.file("c", 200);
            });
    assertEquals(1_000, trace.indexBytes());
  }

  @Test
  void repeatedAccessesAreLookUpsOfDifferentInputs() throws IOException {
    Trace trace =
        trace(
            t -> {
              t.file("a", 10 * BLOCK);
              t.access(0, 3, 0);
              t.access(0, 3, 0);
            });
    assertArrayEquals(new long[] {3, 3}, Calls.of(trace, BLOCK, Bypass.NONE).all());
    assertArrayEquals(new long[] {0}, Calls.of(trace, 4 * BLOCK, Bypass.NONE).all());
  }

  @Test
  void largerBlocksTakeInTheirNeighbours() throws IOException {
    Trace trace =
        trace(
            t -> {
              t.file("a", 100 * BLOCK);
              t.file("b", 100 * BLOCK);
              for (int block = 0; block < 8; block++) {
                t.access(1, block, 0);
              }
              t.access(0, 0, 0);
              t.access(1, 6, 0);
            });
    long second = 1L << 32;
    assertArrayEquals(
        new long[] {second, second + 1, 0, second + 1},
        Calls.of(trace, 4 * BLOCK, Bypass.NONE).all());
    Simulation.Row row = run(trace, "10%", 4 * BLOCK, Bypass.NONE, PolicyKind.LRU).get(0);
    assertEquals(5, row.capacity());
    assertEquals(4, row.accesses());
    assertEquals(List.of(1L), row.hits());
    assertThrows(IllegalArgumentException.class, () -> Calls.of(trace, 6_000, Bypass.NONE));
  }

  @Test
  void stoppedSimulationHasWholeRowsOnly() throws IOException {
    Trace trace = trace(t -> t.access(t.file("a", 1), 0, 0));
    Simulation.Options options =
        new Simulation.Options(
            List.of(CacheSize.parse("5%")),
            List.of(BLOCK),
            List.of(Bypass.NONE),
            List.of(PolicyKind.LRU));
    try (StopSignal stop = StopSignal.ofShutdown()) {
      stop.request();
      assertTrue(new Simulation(options, stop).run(trace, rows -> {}).isEmpty());
    }
  }

  @Test
  void sizesAreParts() {
    assertEquals(50, CacheSize.parse("5%").blocks(1_000L * BLOCK, BLOCK));
    assertEquals(5, CacheSize.parse("0.5%").blocks(1_000L * BLOCK, BLOCK));
    assertEquals(1, CacheSize.parse("1%").blocks(10, BLOCK));
    assertEquals(16, CacheSize.parse("65536").blocks(10, BLOCK));
    assertEquals(4, CacheSize.parse("64K").blocks(10, 4 * BLOCK));
    assertEquals(256, CacheSize.parse("1m").blocks(10, BLOCK));
    assertEquals(1 << 19, CacheSize.parse("2g").blocks(10, BLOCK));
    assertNotNull(CacheSize.parse("100%"));
    for (String wrong :
        new String[] {"", "0", "0%", "%", "-5%", "5 %", "x", "5t", "1e3", "99999999999999g"}) {
      assertNull(CacheSize.parse(wrong), wrong);
    }
  }
}
