/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.scenario;

import dev.pread.benchmarks.child.SafepointLog;
import dev.pread.benchmarks.machine.BlockDevice;
import dev.pread.benchmarks.machine.ProcessFigures;
import java.io.IOException;
import java.nio.file.Path;

/**
 * What a stretch of time cost; -1 for what the kernel does not tell.
 *
 * @param device bytes through the device, whoever caused them
 * @param processRead bytes that this process had the device read
 * @param processWritten bytes that this process made dirty or wrote to the device
 * @param majorFaults of this process
 * @param safepoints of this JVM
 */
record Costs(
    BlockDevice.Traffic device,
    long processRead,
    long processWritten,
    long majorFaults,
    SafepointLog.Summary safepoints) {

  /** Counts from its making on. One thread. */
  static final class Meter {
    private static final long LOG_DELAY_MILLIS = 50;

    private final BlockDevice blockDevice;
    private final Path log;
    private final BlockDevice.Traffic device;
    private final long read = ProcessFigures.io("read_bytes");
    private final long written = ProcessFigures.io("write_bytes");
    private final long faults = ProcessFigures.majorFaults();
    private final long start;

    /**
     * @param folder on the device
     * @param log of safepoints
     */
    Meter(Path folder, Path log) {
      this.blockDevice = BlockDevice.under(folder);
      this.log = log;
      this.device = blockDevice.traffic();
      this.start = System.nanoTime();
    }

    /** When it began, as {@link System#nanoTime()}. */
    long start() {
      return start;
    }

    /** All until a time that has just been. */
    Costs until(long end) throws IOException {
      BlockDevice.Traffic traffic = blockDevice.traffic().since(device);
      long readBytes = since(ProcessFigures.io("read_bytes"), read);
      long writtenBytes = since(ProcessFigures.io("write_bytes"), written);
      long majorFaults = since(ProcessFigures.majorFaults(), faults);
      try {
        Thread.sleep(LOG_DELAY_MILLIS); // The log is written by a thread of its own.
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      return new Costs(
          traffic, readBytes, writtenBytes, majorFaults, SafepointLog.read(log, start, end));
    }

    private static long since(long now, long before) {
      return now < 0 || before < 0 ? -1 : now - before;
    }
  }
}
