/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.pressure;

import dev.pread.benchmarks.files.Fio;
import dev.pread.benchmarks.files.FioJob;
import dev.pread.benchmarks.child.ChildJvm;
import dev.pread.benchmarks.index.ReadKind;
import dev.pread.benchmarks.load.Latencies;

/**
 * One measured slot of random reads.
 *
 * @param round from 0
 * @param contender by name
 * @param bytes of a read
 * @param threads that read
 * @param readsPerMs throughput
 * @param latencies of the reads, nanoseconds
 * @param majorFaults while measured; -1 if unknown
 * @param peakBytes highest memory usage of the cgroup, warm-up included; -1 if unknown
 */
record RandomSlot(
    int round,
    String contender,
    int bytes,
    int threads,
    double readsPerMs,
    Latencies latencies,
    long majorFaults,
    long peakBytes) {

  /** Of a directory's slot. */
  static RandomSlot of(
      int round, String contender, RandomTask task, ChildJvm.Result<RandomTask.Result> result) {
    RandomTask.Result value = result.value();
    return new RandomSlot(
        round,
        contender,
        task.load().bytes(),
        task.threads(),
        value.latencies().count() / (value.elapsedNanos() / 1e6),
        value.latencies(),
        value.majorFaults(),
        result.usage().peakBytes());
  }

  /** Of the device's slot. */
  static RandomSlot of(int round, FioJob job, Fio.Measured measured) {
    return new RandomSlot(
        round,
        ReadKind.FIO,
        job.reads().bytes(),
        job.jobs(),
        measured.readsPerMs(),
        measured.latencies(),
        measured.usage().majorFaults(),
        measured.usage().peakBytes());
  }

  boolean isFio() {
    return contender.equals(ReadKind.FIO);
  }
}
