/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.report;

import java.util.List;
import java.util.Map;

/**
 * Draws a figure over another one, such as latency over percentile or throughput over time. Curves
 * of the same benchmark, conditions and axes share a plot.
 *
 * @param points in the order of x
 */
public record Curve(
    String benchmark,
    Map<String, String> conditions,
    Contender contender,
    Axes axes,
    List<Point> points) {

  /** Names the plot, and labels its axes with their units. */
  public record Axes(String name, String x, String y, Scale scale) {}

  public enum Scale {
    LINEAR,
    /** x is a percentile, drawn so that each further nine has the same width; y is logarithmic. */
    PERCENTILES
  }

  public record Point(double x, double y) {}
}
