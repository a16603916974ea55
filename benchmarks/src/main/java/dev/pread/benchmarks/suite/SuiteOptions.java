/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.suite;

import dev.pread.benchmarks.Checks;
import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.machine.ByteSize;
import dev.pread.benchmarks.report.Machine;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Option;

/** The options that all parts of the suite have in common. */
public final class SuiteOptions {
  private static final long MEBI = 1L << 20;
  private static final long MIN_MEMORY = 256 * MEBI;

  @Option(
      names = "--quick",
      description =
          "Measure everything once and for a moment, on little data: shows that all works, and"
              + " nothing else")
  private boolean quick;

  @Option(
      names = "--no-ceiling",
      description = "Leave the ceilings unmeasured that figures would be shown as fractions of")
  private boolean noCeiling;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description = "Rounds in which contenders take turns; default: 3, with --quick 1")
  private Integer rounds;

  @Option(
      names = "--memory",
      paramLabel = "SIZE",
      converter = ByteSize.class,
      description =
          "Memory limit of measured processes, page cache included, in regimes that have one;"
              + " files and indexes are sized by it; default: 1g, with --quick 384m")
  private Long memory;

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
      description = "Draws other positions, keys and arrivals; default: ${DEFAULT-VALUE}")
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
      description = "Write everything there, every raw sample too; kept up to date while it runs")
  private Path json;

  @Option(
      names = "--html",
      paramLabel = "FILE",
      description = "Write a page with tables and plots there, which needs no other file")
  private Path html;

  /** Made by picocli. */
  public SuiteOptions() {}

  /** Checks that they make sense. */
  void check() throws UserError {
    if (rounds != null && rounds < 1) {
      throw new UserError("--rounds is " + rounds + ": it must be greater than 0");
    }
    if (readAhead < 0) {
      throw new UserError("--read-ahead is " + readAhead + ": it must not be negative");
    }
    long machine = Machine.totalMemory().orElse(Long.MAX_VALUE);
    if (memory() < MIN_MEMORY || memory() > machine) {
      throw new UserError(
          "--memory "
              + ByteSize.format(memory())
              + " is no useful limit: name one between "
              + ByteSize.format(MIN_MEMORY)
              + " and what this machine has ("
              + ByteSize.format(machine)
              + ")");
    }
    if (json != null) {
      Checks.writable("--json", json);
    }
    if (html != null) {
      Checks.writable("--html", html);
    }
  }

  /** Whether to measure everything for a moment only. */
  public boolean quick() {
    return quick;
  }

  /** Rounds to measure. */
  public int rounds() {
    return rounds != null ? rounds : quick ? 1 : 3;
  }

  /** The memory limit, in bytes. */
  public long memory() {
    return memory != null ? memory : quick ? 384 * MEBI : 1024 * MEBI;
  }

  /** What to pin the device's read-ahead to, in KiB; 0 to leave it. */
  public long readAheadKiB() {
    return readAhead;
  }

  /** Of everything that is drawn at random. */
  public long seed() {
    return seed;
  }

  boolean withCeiling() {
    return !noCeiling;
  }

  Path work() {
    return work;
  }

  boolean keep() {
    return keep;
  }

  Path json() {
    return json;
  }

  Path html() {
    return html;
  }

  /** For the report. */
  Map<String, Object> describe() {
    Map<String, Object> settings = new LinkedHashMap<>();
    settings.put("quick", quick);
    settings.put("rounds", rounds());
    settings.put("memoryBytes", memory());
    settings.put("readAheadKiB", readAhead);
    settings.put("seed", seed);
    return settings;
  }
}
