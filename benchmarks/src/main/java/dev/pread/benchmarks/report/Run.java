/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.report;

import java.util.List;
import java.util.Map;

/** Holds a run of the suite as a JSON file does, complete or not. */
public record Run(
    String format,
    About about,
    boolean complete,
    List<String> notes,
    List<Skipped> skipped,
    List<Cell> cells) {

  public static final String FORMAT = "lucene-pread-benchmarks-1";

  /**
   * Holds what the figures depend on.
   *
   * @param started when, as ISO 8601 in UTC
   * @param command with its options; {@code --help} of the version has the defaults of others
   * @param version of this tool and the commit it was built from
   * @param storage device, file system, read-ahead, cgroup version and limits
   */
  public record About(
      String started,
      String command,
      String version,
      Map<String, Object> machine,
      Map<String, Object> jvm,
      Map<String, Object> storage) {}

  /** Names something that was not measured, like {@code grid: regime exceeds}, and the remedy. */
  public record Skipped(String what, String why) {}
}
