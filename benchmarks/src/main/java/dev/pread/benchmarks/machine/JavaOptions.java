/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.machine;

import dev.pread.benchmarks.UserError;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Options for the JVMs of single contenders, as {@code NAME=OPTION}; the name {@code all} stands
 * for every one. Immutable.
 */
public final class JavaOptions {
  private static final String ALL = "all";

  private final Map<String, List<String>> byName;

  private JavaOptions(Map<String, List<String>> byName) {
    this.byName = byName;
  }

  /**
   * Takes them apart.
   *
   * @throws UserError if one has no name, or that of none who takes part, or is no JVM option
   */
  public static JavaOptions parse(List<String> options, List<String> names) {
    Map<String, List<String>> byName = new HashMap<>();
    for (String option : options) {
      int equals = option.indexOf('=');
      String name = equals < 0 ? "" : option.substring(0, equals);
      String value = option.substring(equals + 1);
      if (name.isEmpty() || !value.startsWith("-")) {
        throw new UserError(
            "--java-option " + option + " is not NAME=OPTION: write it like pread=-Dkey=value");
      }
      if (!name.equals(ALL) && !names.contains(name)) {
        throw new UserError(
            "--java-option " + option + " is for none of " + names + ": name one, or all");
      }
      byName.computeIfAbsent(name, any -> new ArrayList<>()).add(value);
    }
    return new JavaOptions(byName);
  }

  /** Those of a contender: first those for all, so that its own ones win. */
  public List<String> of(String name) {
    List<String> options = new ArrayList<>(byName.getOrDefault(ALL, List.of()));
    options.addAll(byName.getOrDefault(name, List.of()));
    return options;
  }
}
