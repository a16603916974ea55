/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.machine;

/**
 * Tells of what must not be measured, let alone be used: a directory that returns other hits or
 * other bytes than there are, or that fails where others do not; or a figure that cannot be true,
 * since then the measurement is wrong. Ends the run with {@link ExitCode#WRONG}.
 */
public final class WrongResult extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public WrongResult(String message) {
    this(message, null);
  }

  public WrongResult(String message, Throwable cause) {
    super(message, cause);
  }

  /** Says that a directory returned other bytes than the file has there. */
  public static WrongResult bytes(long offset, int length) {
    return new WrongResult("wrong bytes: the read of " + length + " bytes at offset " + offset);
  }
}
