/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

/**
 * Makes sure that there is stack left before a thread takes something that it has to give back.
 *
 * <p>A query that is nested deeply enough reads its last terms where hardly any stack is left. A
 * {@link StackOverflowError} may then come from any call, even from one in a {@code finally} that
 * is meant to put things right. So a thread that is about to take a slot first goes as deep as it
 * takes to give the slot back, while it holds nothing, and lets the error occur there.
 */
public final class StackReserve {

  /**
   * The number of calls that go as deep as a few dozen of any other kind: compiled code keeps some
   * fifty bytes for each of these calls, and interpreted code more than a hundred. Giving back a
   * slot is some fifteen calls deep. {@code LostFillTest} tries it: with these calls compiled and
   * all else interpreted, 40 are enough.
   */
  private static final int CALLS = 100;

  private StackReserve() {}

  /**
   * Returns if there is some stack left.
   *
   * @throws StackOverflowError if there is not
   */
  public static void ensure() {
    long ignored = descend(CALLS, 1, 2, 3, 4, 5);
  }

  /**
   * Returns if there is so much stack left that those this thread is going to call find some left.
   *
   * @throws StackOverflowError if there is not
   */
  public static void ensureForCalls() {
    long ignored = descend(4 * CALLS, 1, 2, 3, 4, 5);
  }

  /**
   * Calls itself {@code calls} times. The arguments differ from call to call, and are needed after
   * it, so that no two calls can become one.
   */
  private static long descend(int calls, long a, long b, long c, long d, long e) {
    return calls == 0 ? a : descend(calls - 1, b, c, d, e, a) ^ (a + b + c + d + e);
  }
}
