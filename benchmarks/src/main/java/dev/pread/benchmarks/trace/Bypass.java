/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.trace;

/** Which accesses of a trace a simulated cache does not get to see. */
public enum Bypass {
  /** All go through the cache. */
  NONE("none", 0),
  /** Those of inputs that were opened for a merge, for a flush or to be read once bypass it. */
  CONTEXT("context", TraceFormat.ONCE),
  /** Those of inputs that were announced to be read from end to end bypass it too. */
  HINTS("hints", TraceFormat.ONCE | TraceFormat.SEQUENTIAL),
  /** As {@code CONTEXT}, and all that merge threads read, whatever their inputs are for. */
  MERGES("merges", TraceFormat.ONCE | TraceFormat.MERGE_THREAD);

  private final String label;
  private final int flags;

  Bypass(String label, int flags) {
    this.label = label;
    this.flags = flags;
  }

  /** What the command line and the table call it. */
  public String label() {
    return label;
  }

  boolean bypasses(int accessFlags) {
    return (flags & accessFlags) != 0;
  }
}
