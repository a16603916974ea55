/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.report;

import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Names who was measured. */
public record Contender(String name, Role role) {

  /** Which part it has in "ours against the best other". */
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

  /** Returns each once, as reports show them: ours first, then the others, then ceilings. */
  static List<Contender> inOrder(Stream<Contender> some) {
    return some.distinct().sorted(Comparator.comparing(Contender::role)).toList();
  }
}
