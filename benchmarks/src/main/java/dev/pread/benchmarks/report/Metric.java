/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.report;

/**
 * Says what a figure is.
 *
 * @param name like {@code throughput} or {@code p99}
 * @param unit like {@code ops/ms}, {@code us} or {@code bytes}; empty for a count
 * @param better which way is up
 * @param compared whether reports compare contenders by it; else it is only listed
 */
public record Metric(String name, String unit, Better better, boolean compared) {

  /**
   * Says which of two figures is the better one; neither, if it explains others, such as bytes
   * read.
   */
  public enum Better {
    HIGHER,
    LOWER,
    NEITHER
  }

  /** Returns the metric of work per time, by which contenders are compared. */
  public static Metric throughput(String unit) {
    return new Metric("throughput", unit, Better.HIGHER, true);
  }

  /** Returns the metric of what should be small, by which contenders are compared. */
  public static Metric cost(String name, String unit) {
    return new Metric(name, unit, Better.LOWER, true);
  }

  /** Returns a metric that is only listed, though less of it is better. */
  public static Metric listedCost(String name, String unit) {
    return new Metric(name, unit, Better.LOWER, false);
  }

  public static Metric fact(String name, String unit) {
    return new Metric(name, unit, Better.NEITHER, false);
  }
}
