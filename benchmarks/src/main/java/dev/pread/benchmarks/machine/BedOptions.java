/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.machine;

import dev.pread.benchmarks.Checks;
import dev.pread.benchmarks.UserError;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** The options that all commands with a {@link TestBed} have in common. */
public final class BedOptions {
  @Option(
      names = "--read-ahead",
      paramLabel = "KIB",
      defaultValue = "128",
      description =
          "Pin the device's read-ahead while measuring; 0 leaves it; default: ${DEFAULT-VALUE}")
  private long readAhead;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "42",
      description = "Draws other positions, keys, queries and arrivals; default: ${DEFAULT-VALUE}")
  private long seed;

  @Option(
      names = "--work",
      paramLabel = "DIR",
      description =
          "An empty, new or kept folder for the files, on the disk to measure; default: a temporary"
              + " one")
  private Path work;

  @Option(names = "--keep", description = "Leave the files in the work folder for the next run")
  private boolean keep;

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description =
          "Write everything there, the figures of every round too; the suite keeps it up to date while"
              + " it runs")
  private Path json;

  /** Made by picocli. */
  public BedOptions() {}

  /** Checks that they make sense. */
  public void check() throws UserError {
    Checks.notNegative("--read-ahead", (double) readAhead);
    if (json != null) {
      Checks.writable("--json", json);
    }
  }

  /** What to pin the device's read-ahead to, in KiB; 0 to leave it. */
  public long readAheadKiB() {
    return readAhead;
  }

  /** Of everything that is drawn at random. */
  public long seed() {
    return seed;
  }

  /** Whether files are left for the next run. */
  public boolean keep() {
    return keep;
  }

  /** Where to write everything; null for nowhere. */
  public Path json() {
    return json;
  }

  /**
   * For {@link TestBed#open}.
   *
   * @param folder below the work folder; "" for that itself
   * @param memory limit in bytes; 0 for none
   */
  public TestBed.Setup setup(String folder, long memory) {
    return new TestBed.Setup(work == null ? null : work.resolve(folder), keep, memory, readAhead);
  }
}
