/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

/**
 * A pool of vectors, which are borrowed for one call; they are pooled as {@link StripedPool}
 * describes.
 *
 * <p>This class is thread-safe.
 */
public final class VectorPool {

  /** The number of pieces each vector has room for. */
  public static final int CAPACITY = 64;

  /**
   * The number of vectors kept besides what the places of a {@link StripedPool} hold: about 2 MiB.
   */
  private static final int MAX_STACKED = 1024;

  private final StripedPool<IoVector> pool;

  VectorPool(SystemCalls calls) {
    this.pool = new StripedPool<>(() -> calls.newVector(CAPACITY), MAX_STACKED);
  }

  /**
   * Returns an empty vector for {@link #CAPACITY} pieces, which is the caller's until it is given
   * back.
   */
  public IoVector take() {
    return pool.take();
  }

  /** Gives a vector back; the caller must not touch it any more. */
  public void give(IoVector vector) {
    // This is done now, not when it is taken: a vector that lies here must not keep anybody's
    // memory.
    vector.clear();
    pool.give(vector);
  }
}
