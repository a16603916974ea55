/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.machine;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine.Option;

/** The options for the JVMs of single contenders; the name {@code all} stands for every one. */
public final class JavaOptions {
  private static final String ALL = "all";

  @Option(names = "--java-option", paramLabel = "NAME=OPTION")
  private List<String> words = new ArrayList<>();

  /** Checks them against the names of those who take part. */
  public void check(List<String> names) {
    for (String word : words) {
      String name = word.split("=", 2)[0];
      if (!word.startsWith(name + "=-") || !(name.equals(ALL) || names.contains(name))) {
        throw new UserError(
            "--java-option " + word + ": write NAME=-OPTION, with a name of " + names + " or all");
      }
    }
  }

  /** Returns the options of a contender: first those for all, so that its own ones win. */
  List<String> of(String name) {
    return Stream.of(ALL, name)
        .flatMap(who -> words.stream().filter(word -> word.startsWith(who + "=")))
        .map(word -> word.substring(word.indexOf('=') + 1))
        .toList();
  }
}
