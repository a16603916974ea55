/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.index;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Supplier;

/**
 * A uniform sample of a stream of unknown length, in one pass: algorithm R of Vitter, "Random
 * Sampling with a Reservoir" (1985).
 */
public final class Reservoir<T> {
  private final int capacity;
  private final SplittableRandom random;
  private final List<T> sample = new ArrayList<>();
  private long seen;

  /** Takes that many elements at the most. */
  public Reservoir(int capacity, SplittableRandom random) {
    this.capacity = capacity;
    this.random = random;
  }

  /** Offers the next element, which is only made if it is taken. */
  public void offer(Supplier<T> element) {
    if (seen++ < capacity) {
      sample.add(element.get());
    } else {
      long slot = random.nextLong(seen);
      if (slot < capacity) {
        sample.set((int) slot, element.get());
      }
    }
  }

  /** What was taken of all that was offered. */
  public List<T> sample() {
    return sample;
  }
}
