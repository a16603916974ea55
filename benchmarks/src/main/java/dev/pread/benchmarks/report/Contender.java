/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.report;

/** Names who was measured. */
public record Contender(String name, Role role) {

  /** The part it has in "ours against the best other". */
  public enum Role {
    OURS,
    OTHER,
    /** What no directory can beat: the device, or a copy in memory. */
    CEILING
  }

  public static Contender ours(String name) {
    return new Contender(name, Role.OURS);
  }

  public static Contender other(String name) {
    return new Contender(name, Role.OTHER);
  }

  public static Contender ceiling(String name) {
    return new Contender(name, Role.CEILING);
  }
}
