/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks;

import java.nio.file.Files;
import java.nio.file.Path;

/** What the options of several commands have to be. */
public final class Checks {
  private Checks() {}

  /** That it is greater than 0. */
  public static void positive(String option, double value) throws UserError {
    if (!(value > 0) || Double.isInfinite(value)) {
      throw new UserError(option + " is " + value + ": it must be greater than 0");
    }
  }

  /** That it is 0 or greater. */
  public static void notNegative(String option, double value) throws UserError {
    if (!(value >= 0) || Double.isInfinite(value)) {
      throw new UserError(option + " is " + value + ": it must not be negative");
    }
  }

  /** That a file can be made there, or written over. */
  public static void writable(String option, Path file) throws UserError {
    Path folder = file.toAbsolutePath().getParent();
    if (Files.isDirectory(file) || folder == null || !Files.isWritable(folder)) {
      throw new UserError(
          option + " " + file + " cannot be written: name a file in a folder of yours");
    }
  }
}
