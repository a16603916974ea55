/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.search;

import dev.pread.benchmarks.machine.BlockDevice;
import dev.pread.benchmarks.machine.ProcessFigures;
import dev.pread.benchmarks.machine.SafepointLog;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * What was measured in one stretch of time, and what it cost.
 *
 * @param bytes of the texts that the requests read or wrote
 * @param besideBytes of texts, by the writer beside the requests
 * @param unserved requests that were due and still waiting long after the end
 * @param latencies of all requests, nanoseconds
 * @param costs of all this
 */
record Phase(long bytes, long besideBytes, long unserved, Histogram latencies, Costs costs) {
  static final String FAULTS = "major faults";

  /** Requests that were served. */
  long requests() {
    return latencies.getTotalCount() - unserved;
  }

  /** Requests per second. */
  double rate() {
    return requests() / costs.seconds();
  }

  /**
   * What it cost.
   *
   * @param seconds that it took, the commit of what was written included
   * @param counted by the kernel, by name; -1 for what it does not tell
   * @param safepoints of this JVM
   */
  record Costs(double seconds, Map<String, Long> counted, SafepointLog.Summary safepoints) {}

  /** Counts from its making on. One thread. */
  static final class Meter {
    private static final long LOG_DELAY_MILLIS = 50;

    private final BlockDevice device;
    private final Path log;
    private final Map<String, Long> before;
    private final long start;

    /**
     * @param folder on the device
     * @param log of safepoints
     */
    Meter(Path folder, Path log) {
      this.device = BlockDevice.under(folder);
      this.log = log;
      this.before = counted();
      this.start = System.nanoTime();
    }

    /** The device's traffic is whoever's, the rest is this process's. */
    private Map<String, Long> counted() {
      BlockDevice.Traffic traffic = device.traffic();
      Map<String, Long> counted = new LinkedHashMap<>();
      counted.put("device read", traffic.read());
      counted.put("device written", traffic.written());
      counted.put("process read", ProcessFigures.io("read_bytes"));
      counted.put("process written", ProcessFigures.io("write_bytes"));
      counted.put(FAULTS, ProcessFigures.majorFaults());
      return counted;
    }

    /** All until now. */
    Costs stop() throws IOException {
      long end = System.nanoTime();
      Map<String, Long> more = counted();
      more.replaceAll((name, now) -> now < 0 || before.get(name) < 0 ? -1 : now - before.get(name));
      try {
        Thread.sleep(LOG_DELAY_MILLIS); // The log is written by a thread of its own.
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      return new Costs((end - start) / 1e9, more, SafepointLog.read(log, start, end));
    }
  }
}
