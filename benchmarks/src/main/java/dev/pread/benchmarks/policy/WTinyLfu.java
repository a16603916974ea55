/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.policy;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;

/**
 * W-TinyLFU as the Caffeine library does it, after Einziger, Friedman and Manes, "TinyLFU: A Highly
 * Efficient Cache Admission Policy" (TOS 2017). A yardstick: what many take for the best that a
 * general cache reaches. Its hit ratios vary in the last digit from run to run, since Caffeine
 * admits some candidates at random to withstand attacks on its hashing.
 */
final class WTinyLfu implements Policy {
  private final Cache<Long, Boolean> cache;

  WTinyLfu(int capacity) {
    // In this thread, so that what a write evicts is gone when the write returns.
    cache =
        Caffeine.newBuilder()
            .executor(Runnable::run)
            .initialCapacity(capacity)
            .maximumSize(capacity)
            .build();
  }

  @Override
  public boolean access(long key) {
    if (cache.getIfPresent(key) != null) {
      return true;
    }
    cache.put(key, Boolean.TRUE);
    return false;
  }

  @Override
  public void forget(long key) {
    cache.invalidate(key);
  }

  @Override
  public int size() {
    return Math.toIntExact(cache.estimatedSize());
  }
}
