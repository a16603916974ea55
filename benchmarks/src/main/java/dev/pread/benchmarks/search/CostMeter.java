/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.search;

import dev.pread.benchmarks.machine.BlockDevice;
import dev.pread.benchmarks.machine.ProcessFigures;
import dev.pread.benchmarks.machine.SafepointLog;
import dev.pread.benchmarks.report.Figures;
import dev.pread.benchmarks.report.Metric;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Measures what a stretch of time costs this process and the device, from its making on. One
 * thread.
 */
final class CostMeter {
  private static final long LOG_DELAY_MILLIS = 50;

  private final BlockDevice device;
  private final Path log;
  private final Map<Metric, Long> counts;
  private final long start;
  private long end;

  CostMeter(Path folder, Path log) {
    this.device = BlockDevice.under(folder);
    this.log = log;
    this.counts = counted();
    this.start = System.nanoTime();
  }

  /** Counts the device's traffic, whoever causes it, and the rest of this process alone. */
  private Map<Metric, Long> counted() {
    BlockDevice.Traffic traffic = device.traffic();
    Map<Metric, Long> counted = new LinkedHashMap<>();
    counted.put(Metric.fact("device read", "bytes"), traffic.read());
    counted.put(Metric.fact("device written", "bytes"), traffic.written());
    counted.put(Metric.fact("process read", "bytes"), ProcessFigures.io("read_bytes"));
    counted.put(Metric.fact("process written", "bytes"), ProcessFigures.io("write_bytes"));
    counted.put(Metric.listedCost("major faults", ""), ProcessFigures.majorFaults());
    return counted;
  }

  /** Ends the stretch of time; returns its seconds. */
  double stop() {
    end = System.nanoTime();
    Map<Metric, Long> now = counted();
    counts.replaceAll(
        (metric, before) -> before < 0 || now.get(metric) < 0 ? -1 : now.get(metric) - before);
    return (end - start) / 1e9;
  }

  /** Adds what it cost. */
  void addTo(Figures figures) throws IOException {
    counts.forEach(figures::addKnown);
    try {
      Thread.sleep(LOG_DELAY_MILLIS); // The log is written by a thread of its own.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    SafepointLog.Summary safepoints = SafepointLog.read(log, start, end);
    figures.add(Metric.fact("safepoints", ""), (double) safepoints.count());
    if (safepoints.count() > 0) {
      figures.add(Metric.listedCost("safepoint p50", "us"), safepoints.p50() / 1e3);
      figures.add(Metric.cost("safepoint p99", "us"), safepoints.p99() / 1e3);
      figures.add(Metric.listedCost("safepoint max", "us"), safepoints.max() / 1e3);
    }
    figures.add(Metric.listedCost("gc pause total", "ms"), safepoints.pauseTotal() / 1e6);
    figures.add(Metric.listedCost("gc pause max", "ms"), safepoints.pauseMax() / 1e6);
  }
}
