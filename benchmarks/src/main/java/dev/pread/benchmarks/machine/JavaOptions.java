/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.machine;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Keeps options for the JVMs of single contenders, as {@code NAME=OPTION}; the name {@code all}
 * stands for every one.
 */
public record JavaOptions(List<String> words) {
  private static final Pattern SYNTAX = Pattern.compile("[^=]+=-.*", Pattern.DOTALL);
  private static final String ALL = "all";

  /** Checks the words of a command line against the names of those who take part. */
  public static JavaOptions parse(List<String> words, List<String> names) {
    for (String word : words) {
      if (!SYNTAX.matcher(word).matches()) {
        throw new UserError(
            "--java-option " + word + " is not NAME=OPTION: write it like pread=-Dkey=value");
      }
      String name = word.substring(0, word.indexOf('='));
      if (!name.equals(ALL) && !names.contains(name)) {
        throw new UserError(
            "--java-option " + word + " is for none of " + names + ": name one, or all");
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
