/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.scenario;

import dev.pread.benchmarks.load.DataPattern;

/**
 * How hard an index is worked on.
 *
 * @param threads that serve requests
 * @param seed of keys and arrivals
 */
record Load(int threads, long seed) {
  /** Keys of a {@link Scenario.Operation#MULTI_GET}. */
  static final int BATCH = 32;

  /** Documents of a scan. */
  static final int RANGE = 100;

  /** What the writer beside readers writes, in bytes of texts. */
  static final double WRITER_BYTES_PER_SECOND = 2e6;

  /** The key of a request: the same for every contender, and any number of times. */
  long key(long phase, long number, long keys) {
    long mixed = DataPattern.word(DataPattern.word(seed ^ phase << 48) + number);
    return Math.floorMod(mixed, keys);
  }
}
