/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.machine;

/** The exit codes of the command line, as {@code --help} lists them. */
public final class ExitCode {
  /** All measured, every directory agreed. */
  public static final int OK = 0;

  /** A {@link WrongResult}. */
  public static final int WRONG = 1;

  /** The user can put it right: one line on standard error says how. */
  public static final int USAGE = 2;

  /** A defect of this tool: a stack trace on standard error. */
  public static final int DEFECT = 3;

  /** Stopped by Ctrl-C, as shells report it: 128 and the number of the signal. */
  public static final int STOPPED = 130;

  private ExitCode() {}
}
