/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which blocks are read, and where the frequent ones are. */
class PositionsTest {

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 100, 1023, 1024, 1025, 65_536, 1_000_003})
  void scrambleIsAPermutation(int n) {
    for (long seed = 0; seed < 5; seed++) {
      Scramble scramble = new Scramble(n, seed);
      BitSet seen = new BitSet(n);
      for (int i = 0; i < n; i++) {
        long to = scramble.of(i);
        assertTrue(to >= 0 && to < n, i + " goes to " + to);
        assertFalse(seen.get((int) to), "twice: " + to);
        seen.set((int) to);
      }
    }
  }

  @Test
  void neighboursAreScattered() {
    int n = 1_000_000;
    int parts = 10;
    int hot = 10_000;
    Scramble scramble = new Scramble(n, 7);
    int[] counts = new int[parts];
    int near = 0;
    for (int i = 0; i < hot; i++) {
      long to = scramble.of(i);
      counts[(int) (to * parts / n)]++;
      near += Math.abs(scramble.of(i + 1) - to) < n / 100 ? 1 : 0;
    }
    for (int count : counts) {
      assertEquals(1_000, count, 200, "of the hot ones in one tenth");
    }
    assertTrue(near < hot / 20, near + " neighbours stayed near");
  }

  @Test
  void evenPositionsReachEveryBlockAlike() {
    int blocks = 64;
    Positions positions = new Positions(blocks * 4096L, 4096, 0, new SplittableRandom(1));
    int[] counts = new int[blocks];
    for (int i = 0; i < blocks * 1_000; i++) {
      long position = positions.next();
      assertEquals(0, position % 4096);
      counts[(int) (position / 4096)]++;
    }
    for (int count : counts) {
      assertEquals(1_000, count, 200);
    }
  }

  @Test
  void threadsShareTheirHotBlocks() {
    long length = 10_000 * 4096L;
    long one = hottest(new Positions(length, 4096, 0.99, new SplittableRandom(1)));
    long other = hottest(new Positions(length, 4096, 0.99, new SplittableRandom(2)));
    assertEquals(one, other);
    assertTrue(one < length);
  }

  private static long hottest(Positions positions) {
    Map<Long, Integer> counts = new HashMap<>();
    for (int i = 0; i < 20_000; i++) {
      counts.merge(positions.next(), 1, Integer::sum);
    }
    return counts.entrySet().stream().max(Map.Entry.comparingByValue()).orElseThrow().getKey();
  }

  @Test
  void emptyScrambleIsRefused() {
    assertThrows(IllegalArgumentException.class, () -> new Scramble(0, 1));
  }
}
