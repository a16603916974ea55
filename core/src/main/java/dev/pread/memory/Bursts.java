/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.memory;

import java.util.concurrent.TimeUnit;

/**
 * Knows how much memory others have taken at a time, and lately. Whoever has done so once will do
 * it again, a compiler or a merge for example, so that a larger reserve is worth its while for some
 * time. It is not thread-safe.
 */
final class Bursts {

  /** What is taken within this time is one burst. */
  private static final long WINDOW_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  /** After this time a burst counts for half. */
  private static final long HALF_LIFE_NANOS = TimeUnit.SECONDS.toNanos(60);

  private long windowEnd;
  private long low;
  private long lowBefore;

  /** What peers had at these times. */
  private long sharedAtLow;

  private long sharedAtLowBefore;
  private long largest;
  private long fades;

  /**
   * Records what others have.
   *
   * @param bytes that are neither free nor this process's caches
   * @param shared those of them that are caches of other processes, which share
   * @return how much more that is than within the last moments, without what others' caches have
   *     taken
   */
  long of(long bytes, long shared, long nanos) {
    if (fades == 0) {
      rebase(bytes, shared);
      windowEnd = nanos + WINDOW_NANOS;
      fades = nanos + HALF_LIFE_NANOS;
    }
    if (nanos - windowEnd > 0) {
      // However long ago that was recorded, not much has changed since: nobody looked this closely.
      lowBefore = low;
      sharedAtLowBefore = sharedAtLow;
      low = bytes;
      sharedAtLow = shared;
      windowEnd = nanos + WINDOW_NANOS;
    }
    if (nanos - fades > 0) {
      largest /= 2;
      fades = nanos + HALF_LIFE_NANOS;
    }
    if (bytes < low) {
      low = bytes;
      sharedAtLow = shared;
    }
    long sharedBefore = low < lowBefore ? sharedAtLow : sharedAtLowBefore;
    long burst = bytes - Math.min(low, lowBefore) - Math.max(0, shared - sharedBefore);
    burst = Math.max(0, burst);
    largest = Math.max(largest, burst);
    return burst;
  }

  /**
   * Says that others have this without having taken it: they have just begun, or ended, to tell, or
   * it is another limit that counts now.
   */
  void rebase(long bytes, long shared) {
    low = bytes;
    lowBefore = bytes;
    sharedAtLow = shared;
    sharedAtLowBefore = shared;
  }

  /** Returns how much was taken at a time lately, in bytes. */
  long largest() {
    return largest;
  }
}
