/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.measure;

import dev.pread.benchmarks.index.QueryKind;

/**
 * What one directory did in one round with one kind of queries.
 *
 * @param round from 0
 * @param kind of the queries
 * @param directory its name
 * @param queries how many were run, by all threads together
 * @param elapsedNanos from the first one's start to the last one's end
 * @param p50Nanos the median time of a query
 * @param p99Nanos the time that 99 of 100 queries did not exceed
 * @param maxNanos the longest query
 */
public record Slot(
    int round,
    QueryKind kind,
    String directory,
    long queries,
    long elapsedNanos,
    long p50Nanos,
    long p99Nanos,
    long maxNanos) {

  /** Throughput of all threads together. */
  public double queriesPerSecond() {
    return queries * 1e9 / Math.max(1, elapsedNanos);
  }
}
