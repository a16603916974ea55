/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.trace;

/** What goes on while a trace is recorded. */
public enum Mix {
  /** Searches, nothing else. */
  SEARCH("search"),
  /** Searches, and now and then every file is read from end to end. */
  SCAN("scan"),
  /** Searches while documents are updated, which makes for new segments, merges and deletions. */
  UPDATE("update");

  private final String label;

  Mix(String label) {
    this.label = label;
  }

  /** What the command line calls it, and the end of the trace's name. */
  public String label() {
    return label;
  }
}
