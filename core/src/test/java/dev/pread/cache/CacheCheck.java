/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Says whether all slots of a cache are accounted for. It is for caches that nobody is using. */
public final class CacheCheck {

  /** A time that is far longer than a read takes. */
  private static final long TIMEOUT_NANOS = TimeUnit.MINUTES.toNanos(1);

  private CacheCheck() {}

  /**
   * Checks an empty cache, all of whose files are closed: every slot can be had once, and the cache
   * can be filled and emptied again.
   */
  public static void allSlotsCanBeHad(SlotCache cache) throws IOException {
    // Slots whose reads are under way come back when somebody wants them, and not before; those of
    // threads that bring in more of a file come back soon, though the file has been closed.
    settle(cache);
    awaitIdleThreads(cache);
    equal(0, cache.counters().sum(Counter.BLOCKS), "blocks of closed files");
    String name = Path.of("check").toString();
    long blockSize = cache.blockSize();
    // Files of one block each: they have no extents, and take any slot there is.
    List<CachedFile> files = new ArrayList<>();
    Set<Integer> indexes = new HashSet<>();
    for (int i = 0; i < cache.slots(); i++) {
      CachedFile file = cache.files().open(null, name, blockSize);
      files.add(file);
      Slot slot = file.load(0, 1, CacheFixtures.file((position, length, memory) -> {}));
      if (slot == null) {
        throw new AssertionError("only " + i + " of " + cache.slots() + " slots are left");
      }
      if (!indexes.add(slot.index)) {
        throw new AssertionError("twice: " + slot);
      }
    }
    equal(cache.slots(), cache.counters().sum(Counter.BLOCKS), "blocks of a full cache");
    for (CachedFile file : files) {
      file.close();
    }
    equal(0, cache.counters().sum(Counter.BLOCKS), "blocks in the end");
  }

  /** Ends what is being read ahead, which otherwise those do who want it. */
  public static void settle(SlotCache cache) {
    while (cache.queues().isBusy()) {
      cache.queues().awaitOne();
    }
  }

  /** Waits until the threads that read ahead have nothing more to do, and have ended. */
  public static void awaitIdleThreads(SlotCache cache) {
    long deadline = System.nanoTime() + TIMEOUT_NANOS;
    while (cache.prefetcher().threads() > 0) {
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError(cache.prefetcher().threads() + " threads still read ahead");
      }
      LockSupport.parkNanos(1_000_000);
    }
  }

  private static void equal(long expected, long actual, String what) {
    if (expected != actual) {
      throw new AssertionError(what + ": " + actual + ", not " + expected);
    }
  }
}
