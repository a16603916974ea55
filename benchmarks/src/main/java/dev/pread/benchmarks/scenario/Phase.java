/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.scenario;

import dev.pread.benchmarks.machine.BlockDevice;
import dev.pread.benchmarks.machine.ProcessFigures;
import dev.pread.benchmarks.machine.SafepointLog;
import java.io.IOException;
import java.nio.file.Path;
import org.HdrHistogram.Histogram;

/**
 * What was measured in one stretch of time, and what it cost.
 *
 * @param requests that were served
 * @param docs read or written by them
 * @param bytes of their texts
 * @param besideBytes of texts, by the writer beside the requests
 * @param unserved requests that were due and still waiting long after the end
 * @param latencies nanoseconds
 * @param costs of all this
 */
record Phase(
    long requests,
    long docs,
    long bytes,
    long besideBytes,
    long unserved,
    Histogram latencies,
    Costs costs) {

  /** Requests per second. */
  double rate() {
    return requests / costs.seconds();
  }

  /**
   * What it cost; -1 for what the kernel does not tell.
   *
   * @param seconds that it took, the commit of what was written included
   * @param device bytes through the device, whoever caused them
   * @param processRead bytes that this process had the device read
   * @param processWritten bytes that this process made dirty or wrote to the device
   * @param majorFaults of this process
   * @param safepoints of this JVM
   */
  record Costs(
      double seconds,
      BlockDevice.Traffic device,
      long processRead,
      long processWritten,
      long majorFaults,
      SafepointLog.Summary safepoints) {}

  /** Counts from its making on. One thread. */
  static final class Meter {
    private static final long LOG_DELAY_MILLIS = 50;

    private final BlockDevice device;
    private final Path log;
    private final BlockDevice.Traffic traffic;
    private final long read = ProcessFigures.io("read_bytes");
    private final long written = ProcessFigures.io("write_bytes");
    private final long faults = ProcessFigures.majorFaults();
    private final long start;

    /**
     * @param folder on the device
     * @param log of safepoints
     */
    Meter(Path folder, Path log) {
      this.device = BlockDevice.under(folder);
      this.log = log;
      this.traffic = device.traffic();
      this.start = System.nanoTime();
    }

    /** All until now. */
    Costs stop() throws IOException {
      long end = System.nanoTime();
      BlockDevice.Traffic more = device.traffic().since(traffic);
      long readMore = since(ProcessFigures.io("read_bytes"), read);
      long writtenMore = since(ProcessFigures.io("write_bytes"), written);
      long faultsMore = since(ProcessFigures.majorFaults(), faults);
      try {
        Thread.sleep(LOG_DELAY_MILLIS); // The log is written by a thread of its own.
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      return new Costs(
          (end - start) / 1e9,
          more,
          readMore,
          writtenMore,
          faultsMore,
          SafepointLog.read(log, start, end));
    }

    private static long since(long now, long before) {
      return now < 0 || before < 0 ? -1 : now - before;
    }
  }
}
