/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.report;

/** Names who was measured. */
public record Contender(String name, Role role) {

  /** Which part it has in "ours against the best other". */
  public enum Role {
    /** A directory of this project. */
    OURS,
    /** What ours are compared with. */
    OTHER,
    /** What no directory can beat: the device, or a copy in memory. */
    CEILING
  }

  /** Names a directory of this project. */
  public static Contender ours(String name) {
    return new Contender(name, Role.OURS);
  }

  /** Names what ours are compared with. */
  public static Contender other(String name) {
    return new Contender(name, Role.OTHER);
  }

  /** Names what no directory can beat. */
  public static Contender ceiling(String name) {
    return new Contender(name, Role.CEILING);
  }
}
