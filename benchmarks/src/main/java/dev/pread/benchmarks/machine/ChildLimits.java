/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.machine;

/** When a child counts as hanging: generously, since a machine may be busy with other things. */
public final class ChildLimits {
  private static final double FACTOR = 5;
  private static final double START_SECONDS = 120;

  private ChildLimits() {}

  /**
   * The time that a child gets.
   *
   * @param seconds it should take
   */
  public static double maxSeconds(double seconds) {
    return START_SECONDS + FACTOR * seconds;
  }
}
