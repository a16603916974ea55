/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.policy;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;

/**
 * CLOCK, and with counters of more than one bit GCLOCK: slots in a circle, each with a counter that
 * a hit increments up to a limit. The hand takes one off each counter that it passes and evicts at
 * the first one that is 0. A key comes in with 0, so that a scan passes through without pushing out
 * what was used twice. Sources: Corbató, "A Paging Experiment with the Multics System" (1968);
 * Smith, "Sequentiality and Prefetching in Database Systems" (TODS 1978) for the counters.
 */
final class Clock implements Policy {
  private static final long FREE = -1;

  private final int limit;
  private final long[] keys;
  private final byte[] counters;
  private final Map<Long, Integer> slots = new HashMap<>();

  /** Slots freed by {@link #forget}, to be filled before anything is evicted. */
  private final Deque<Integer> freed = new ArrayDeque<>();

  private int used;
  private int hand;

  /**
   * An empty circle.
   *
   * @param capacity slots
   * @param limit of a counter: 1 for CLOCK, 3 for two bits
   */
  Clock(int capacity, int limit) {
    this.limit = limit;
    this.keys = new long[capacity];
    this.counters = new byte[capacity];
    Arrays.fill(keys, FREE);
  }

  @Override
  public boolean access(long key) {
    Integer slot = slots.get(key);
    if (slot != null) {
      if (counters[slot] < limit) {
        counters[slot]++;
      }
      return true;
    }
    int free = freeSlot();
    keys[free] = key;
    counters[free] = 0;
    slots.put(key, free);
    return false;
  }

  private int freeSlot() {
    if (!freed.isEmpty()) {
      return freed.pop();
    }
    if (used < keys.length) {
      return used++;
    }
    while (counters[hand] > 0) {
      counters[hand]--;
      hand = next(hand);
    }
    int victim = hand;
    slots.remove(keys[victim]);
    hand = next(hand);
    return victim;
  }

  private int next(int slot) {
    return slot + 1 == keys.length ? 0 : slot + 1;
  }

  @Override
  public void forget(long key) {
    Integer slot = slots.remove(key);
    if (slot != null) {
      keys[slot] = FREE;
      counters[slot] = 0;
      freed.push(slot);
    }
  }

  @Override
  public int size() {
    return slots.size();
  }
}
