/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

/**
 * Sequences worked out on paper. A letter is an access; in the answers a capital is a hit. {@code
 * !x} forgets x.
 */
class PoliciesByHandTest {

  private static String replay(Policy policy, String sequence) {
    StringBuilder answer = new StringBuilder();
    for (int i = 0; i < sequence.length(); i++) {
      char key = sequence.charAt(i);
      if (key == ' ') {
        continue;
      }
      if (key == '!') {
        policy.forget(sequence.charAt(++i));
      } else {
        answer.append(policy.access(key) ? Character.toUpperCase(key) : key);
      }
    }
    return answer.toString();
  }

  private static long[] future(String sequence) {
    return sequence.chars().asLongStream().toArray();
  }

  @Test
  void lruEvictsWhatWasNotUsedForLongest() {
    // c evicts b, since a was used after it; b then evicts a; so a evicts c.
    assertEquals("abAcbaBc", replay(new Lru(2), "abacbabc"));
  }

  @Test
  void lruFillsWhatWasForgotten() {
    assertEquals("abcAdBAD", replay(new Lru(3), "abca!cdbad"));
  }

  @Test
  void clockGivesASecondChanceOnce() {
    // d clears the mark of a and takes the slot of b, e that of c. a is marked again: f clears it
    // and takes the slot of d, d that of e.
    assertEquals("abcAdAefdA", replay(new Clock(3, 1), "abcadaefda"));
  }

  @Test
  void clockWithoutHitsIsFifo() {
    assertEquals("abcdabcd", replay(new Clock(3, 1), "abcdabcd"));
  }

  @Test
  void countersOfTwoBitsLastForThreeRounds() {
    // a counts to 3; c, d and e take one off each and replace each other; f finds a at 0.
    assertEquals("abAAAAcdeA", replay(new Clock(2, 3), "abaaaacdea"));
    assertEquals("abAAAAcdefa", replay(new Clock(2, 3), "abaaaacdefa"));
    assertEquals("abAAAAcda", replay(new Clock(2, 1), "abaaaacda"));
  }

  @Test
  void clockFillsFreedSlotsFirst() {
    assertEquals("abcdBCD", replay(new Clock(3, 1), "abc!adbcd"));
  }

  @Test
  void sieveLeavesSurvivorsInPlace() {
    // d clears the mark of a and evicts b; e, f and g evict what comes after, while a, the oldest
    // and no longer marked, is behind the hand. CLOCK's hand comes round to it with f.
    assertEquals("abcAdefgA", replay(new Sieve(3), "abcadefga"));
    assertEquals("abcAdefga", replay(new Clock(3, 1), "abcadefga"));
  }

  @Test
  void sieveStartsOverAtTheNewest() {
    // d clears a and b and evicts c, the newest: the next search, for e, begins at a.
    assertEquals("abcABdeBa", replay(new Sieve(3), "abcabdeba"));
  }

  @Test
  void sieveHandSurvivesForgetting() {
    // d evicts a, the hand is at b; b goes; e fills; f evicts c, where the hand has moved to.
    assertEquals("abcdefDEFc", replay(new Sieve(3), "abcd!befdefc"));
  }

  @Test
  void s3FifoEvictsOneHitWondersFromTheSmallQueue() {
    // Ten: one small, nine main. a is used twice more and promoted when k comes; the scan that
    // follows goes through the small queue, oldest first, and never touches a.
    assertEquals(
        "aAAbcdefghijklmnopqrstuvwxyzA",
        replay(new S3Fifo(10, 2), "aaabcdefghijklmnopqrstuvwxyza"));
  }

  @Test
  void s3FifoWantsTwoHitsToPromote() {
    assertEquals("aAbcdefghijka", replay(new S3Fifo(10, 2), "aabcdefghijka"));
    assertEquals("aAbcdefghijkA", replay(new S3Fifo(10, 1), "aabcdefghijka"));
  }

  @Test
  void s3FifoTakesGhostsIntoTheMainQueue() {
    S3Fifo policy = new S3Fifo(10, 2);
    // k evicts a, which comes back from the ghosts into main, evicting b. The scan l to z pushes
    // the small queue out, but not a.
    assertEquals("abcdefghijkalmnopqrstuvwxyzA", replay(policy, "abcdefghijkalmnopqrstuvwxyza"));
    assertEquals(9, policy.ghosts());
  }

  @Test
  void s3FifoForgetsGhostsToo() {
    // As above, but a is forgotten as a ghost: it comes back into the small queue, and is lost.
    assertEquals(
        "abcdefghijkalmnopqrstuvwxyza",
        replay(new S3Fifo(10, 2), "abcdefghijk!aalmnopqrstuvwxyza"));
  }

  @Test
  void optKeepsWhatIsUsedNext() {
    // With b kept and not a, or the other way round, one of the two is a miss; c is never kept.
    String sequence = "abcabcab";
    assertEquals("abcABcAB", replay(new Opt(2, future(sequence)), sequence));
  }

  @Test
  void optIsToldTheFuture() {
    Opt opt = new Opt(2, future("ab"));
    opt.access('a');
    assertThrows(IllegalStateException.class, () -> opt.access('c'));
  }

  @Test
  void optMissesWhatWasForgotten() {
    Opt opt = new Opt(2, new long[] {'a', -1 - 'a', 'a', 'a'});
    assertEquals("aaA", replay(opt, "a!aaa"));
  }

  @Test
  void capacityOfNothingIsRefused() {
    assertThrows(IllegalArgumentException.class, () -> PolicyKind.LRU.make(0, new long[0]));
  }
}
