/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.report;

import java.util.List;
import java.util.Map;

/**
 * Draws a figure over another one, such as latency over percentile or throughput over time. Curves
 * of the same benchmark, conditions and name share a plot.
 *
 * @param points in the order of x
 */
public record Curve(
    String benchmark,
    Map<String, String> conditions,
    Contender contender,
    Axes axes,
    List<Point> points) {

  /**
   * What is plotted.
   *
   * @param name of the plot, like {@code latency}
   * @param x label of the horizontal axis with its unit
   * @param y label of the vertical axis with its unit
   */
  public record Axes(String name, String x, String y, Scale scale) {}

  /** How axes are drawn. */
  public enum Scale {
    LINEAR,
    LOG_Y,
    /**
     * x is a percentile below 100, drawn so that each further nine has the same width; y is
     * logarithmic.
     */
    PERCENTILES
  }

  public record Point(double x, double y) {}
}
