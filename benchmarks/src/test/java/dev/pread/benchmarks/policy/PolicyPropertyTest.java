/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What holds for every policy, on random sequences with hot keys, scans and deletions. */
class PolicyPropertyTest {
  private static final int KEYS = 300;
  private static final int CALLS = 4_000;

  /** Skewed accesses, now and then a scan, now and then a key that is forgotten. */
  private static long[] calls(SplittableRandom random, boolean forgets) {
    long[] calls = new long[CALLS];
    int scan = -1;
    for (int i = 0; i < CALLS; i++) {
      if (scan >= 0) {
        calls[i] = scan;
        scan = scan + 1 == KEYS ? -1 : scan + 1;
        continue;
      }
      long key = (long) (KEYS * random.nextDouble() * random.nextDouble() * random.nextDouble());
      boolean forget = forgets && random.nextInt(20) == 0;
      calls[i] = forget ? -1 - key : key;
      if (random.nextInt(1_000) == 0) {
        scan = 0;
      }
    }
    return calls;
  }

  private static long misses(PolicyKind kind, int capacity, long[] calls) {
    Policy policy = kind.make(capacity, calls);
    Set<Long> mayHold = new HashSet<>();
    long misses = 0;
    for (int i = 0; i < calls.length; i++) {
      long call = calls[i];
      String where = kind + " of " + capacity + " at call " + i;
      if (call < 0) {
        policy.forget(-1 - call);
        mayHold.remove(-1 - call);
      } else if (policy.access(call)) {
        assertTrue(mayHold.contains(call), where + ": a hit on what was never read");
      } else {
        mayHold.add(call);
        misses++;
      }
      assertTrue(policy.size() <= capacity, where + ": holds " + policy.size());
      assertTrue(policy.size() <= mayHold.size(), where + ": holds what was forgotten");
    }
    return misses;
  }

  @ParameterizedTest
  @EnumSource(PolicyKind.class)
  void neverHoldsMoreThanItsCapacityNorWhatItMustNot(PolicyKind kind) {
    for (int seed = 0; seed < 6; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      long[] calls = calls(random, true);
      for (int capacity : new int[] {1, 2, 3, 9, 10, 11, 50, 299}) {
        assertTrue(misses(kind, capacity, calls) > 0);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(PolicyKind.class)
  void missesEachKeyOnceIfAllFit(PolicyKind kind) {
    for (int seed = 0; seed < 6; seed++) {
      long[] calls = calls(new SplittableRandom(seed), false);
      Set<Long> distinct = new HashSet<>();
      for (long call : calls) {
        distinct.add(call);
      }
      assertEquals(distinct.size(), misses(kind, distinct.size(), calls));
      assertEquals(distinct.size(), misses(kind, KEYS + 5, calls));
    }
  }

  @ParameterizedTest
  @EnumSource(PolicyKind.class)
  void noneHasFewerMissesThanTheBound(PolicyKind kind) {
    for (int seed = 0; seed < 10; seed++) {
      long[] calls = calls(new SplittableRandom(seed), seed % 2 == 0);
      for (int capacity : new int[] {1, 10, 40, 150}) {
        long bound = misses(PolicyKind.OPT, capacity, calls);
        assertTrue(misses(kind, capacity, calls) >= bound, kind + " of " + capacity);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(PolicyKind.class)
  void namesAreFoundAgain(PolicyKind kind) {
    assertEquals(kind, PolicyKind.named(kind.label()));
    assertFalse(kind.label().isBlank());
  }
}
