/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.scenario;

import dev.pread.benchmarks.load.DataPattern;

/**
 * How hard an index is worked on.
 *
 * @param threads that serve requests
 * @param batch keys of a {@link Scenario.Operation#MULTI_GET}
 * @param range documents of a scan
 * @param writerBytesPerSecond of the writer with a limited rate, bytes of documents
 * @param seed of keys and arrivals
 */
record Load(int threads, int batch, int range, double writerBytesPerSecond, long seed) {

  /** The key of a request: the same for every contender, and any number of times. */
  long key(long phase, long number, long keys) {
    long mixed = DataPattern.word(DataPattern.word(seed ^ phase << 48) + number);
    return Math.floorMod(mixed, keys);
  }
}
