/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.policy;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * The bound: no policy has more hits on this sequence. Knows the future and evicts what is used
 * again last, the key that just came in included, since a cache may read a block without keeping
 * it. After Belady, "A study of replacement algorithms for a virtual-storage computer" (1966).
 */
final class Opt implements Policy {
  private static final int NEVER = Integer.MAX_VALUE;

  private final int capacity;
  private final long[] future;

  /** For each position in the future, the next position with the same key. */
  private final int[] next;

  /** What is held, by the position of its next use: no two keys have the same. */
  private final TreeMap<Integer, Long> held = new TreeMap<>();

  private int position;

  /**
   * A cache that is empty.
   *
   * @param capacity in keys
   * @param future the keys of all calls to come, in order: those of {@link #forget} as {@code -1 -
   *     key}
   */
  Opt(int capacity, long[] future) {
    this.capacity = capacity;
    this.future = future;
    this.next = new int[future.length];
    Map<Long, Integer> latest = new HashMap<>();
    for (int i = future.length - 1; i >= 0; i--) {
      long key = future[i];
      if (key < 0) {
        // What is used after it was forgotten has to be read again.
        latest.remove(-1 - key);
      } else {
        Integer later = latest.put(key, i);
        next[i] = later == null ? NEVER : later;
      }
    }
  }

  @Override
  public boolean access(long key) {
    check(key);
    boolean hit = held.remove(position) != null;
    int again = next[position++];
    if (again != NEVER) {
      held.put(again, key);
      if (held.size() > capacity) {
        held.pollLastEntry();
      }
    }
    return hit;
  }

  /** Nothing to free: a key without a next use is not held at all. */
  @Override
  public void forget(long key) {
    check(-1 - key);
    position++;
  }

  private void check(long expected) {
    if (position >= future.length || future[position] != expected) {
      throw new IllegalStateException("call " + position + " is not the one that was announced");
    }
  }

  @Override
  public int size() {
    return held.size();
  }
}
