/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.machine;

/** The exit codes of the command line, as {@code --help} lists them. */
public final class ExitCode {
  public static final int OK = 0;

  /** The run ended with a {@link WrongResult}. */
  public static final int WRONG = 1;

  /** The user can put it right: one line on standard error says how. */
  public static final int USAGE = 2;

  /** This tool or its disk has failed: a stack trace is on standard error. */
  public static final int DEFECT = 3;

  /** The run was stopped by Ctrl-C: 128 and the number of the signal, as shells report it. */
  public static final int STOPPED = 130;

  private ExitCode() {}
}
