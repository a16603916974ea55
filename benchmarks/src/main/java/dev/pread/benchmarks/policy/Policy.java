/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.policy;

/**
 * A cache of keys with a fixed capacity, filled on every miss. Not thread-safe: a simulation is one
 * thread's work.
 */
public interface Policy {

  /**
   * Uses a key: a hit if the cache holds it, else a miss, after which the cache holds it if the
   * policy admits it.
   *
   * @param key not negative
   * @return whether it was a hit
   */
  boolean access(long key);

  /**
   * Frees the place of a key that will not be asked for again, its file being deleted. Nothing
   * happens if the cache does not hold it.
   */
  void forget(long key);

  /** How many keys the cache holds, never more than its capacity. */
  int size();
}
