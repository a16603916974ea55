/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.machine;

import java.util.List;
import java.util.stream.Stream;

/**
 * Keeps options for the JVMs of single contenders, as {@code NAME=OPTION}; the name {@code all}
 * stands for every one.
 */
public record JavaOptions(List<String> words) {
  private static final String ALL = "all";

  /** Checks the words of a command line against the names of those who take part. */
  public static JavaOptions parse(List<String> words, List<String> names) {
    for (String word : words) {
      String name = word.split("=", 2)[0];
      if (!word.startsWith(name + "=-") || !(name.equals(ALL) || names.contains(name))) {
        throw new UserError(
            "--java-option " + word + ": write NAME=-OPTION, with a name of " + names + " or all");
      }
    }
    return new JavaOptions(words);
  }

  /** Returns the options of a contender: first those for all, so that its own ones win. */
  public List<String> of(String name) {
    return Stream.of(ALL, name)
        .flatMap(who -> words.stream().filter(word -> word.startsWith(who + "=")))
        .map(word -> word.substring(word.indexOf('=') + 1))
        .toList();
  }
}
