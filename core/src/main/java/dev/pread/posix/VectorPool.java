/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

/**
 * Vectors for the time of one call, pooled as {@link StripedPool} says.
 *
 * <p>Thread-safe.
 */
public final class VectorPool {

  /** The pieces each vector has room for. */
  public static final int CAPACITY = 64;

  /** Kept beside what the places of a {@link StripedPool} hold: 2 MiB or so. */
  private static final int MOST_STACKED = 1024;

  private final StripedPool<IoVector> pool;

  VectorPool(Posix posix) {
    this.pool = new StripedPool<>(() -> posix.newVector(CAPACITY), MOST_STACKED);
  }

  /** An empty vector for {@link #CAPACITY} pieces, the caller's until given back. */
  public IoVector take() {
    return pool.take();
  }

  /** Gives a vector back, which the caller must not touch any more. */
  public void give(IoVector vector) {
    // Now and not when it is taken: a vector that lies here must not keep anybody's memory.
    vector.clear();
    pool.give(vector);
  }
}
