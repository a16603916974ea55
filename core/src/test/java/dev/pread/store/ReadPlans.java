/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import dev.pread.posix.Advice;

/** Makes the plans that tests expect, by what is done with a file. */
final class ReadPlans {

  private static final int BUFFER_SIZE = 1024;
  private static final int SEQUENTIAL_BUFFER_SIZE = 16_384;

  private ReadPlans() {}

  /** Returns a configuration with the sizes of buffers that the plans below have. */
  static ReadPlan.Defaults defaults(boolean randomByDefault, boolean dropBehind) {
    return new ReadPlan.Defaults(BUFFER_SIZE, SEQUENTIAL_BUFFER_SIZE, randomByDefault, dropBehind);
  }

  /** Returns how a file is read that is searched: in the cache. */
  static ReadPlan searched(Advice advice) {
    return inCache(advice, false);
  }

  /** Returns how a file is read that is searched, and is to be in memory from the start. */
  static ReadPlan preloaded(Advice advice) {
    return inCache(advice, true);
  }

  private static ReadPlan inCache(Advice advice, boolean preload) {
    int size = advice == Advice.SEQUENTIAL ? SEQUENTIAL_BUFFER_SIZE : BUFFER_SIZE;
    return new ReadPlan(
        size, advice, preload, /* onePass= */ false, /* inCache= */ true, /* dropBehind= */ false);
  }

  /** Returns how a file is read once from end to end: past the cache. */
  static ReadPlan onePass() {
    return onePass(false, false);
  }

  /** Returns how a file is read once that nobody needs again: it leaves the page cache, too. */
  static ReadPlan droppedBehind() {
    return onePass(false, true);
  }

  /** Returns how a merge reads what it jumps around in: in the cache all the same. */
  static ReadPlan jumpedIn() {
    return onePass(true, false);
  }

  private static ReadPlan onePass(boolean inCache, boolean dropBehind) {
    return new ReadPlan(
        SEQUENTIAL_BUFFER_SIZE,
        Advice.SEQUENTIAL,
        /* preload= */ false,
        /* onePass= */ true,
        inCache,
        dropBehind);
  }
}
