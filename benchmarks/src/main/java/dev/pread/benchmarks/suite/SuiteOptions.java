/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.suite;

import dev.pread.benchmarks.Checks;
import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.machine.BedOptions;
import dev.pread.benchmarks.machine.ByteSize;
import dev.pread.benchmarks.report.Machine;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Mixin;
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
              + " files and indexes are sized by it; default: 1g, with --quick 384m; of server"
              + " 1536m")
  private Long memory;

  @Mixin private BedOptions bed = new BedOptions();

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
    bed.check();
    checkMemory();
    if (html != null) {
      Checks.writable("--html", html);
    }
  }

  private void checkMemory() throws UserError {
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

  /**
   * The memory limit of a command whose processes need more than others: asked for while options
   * are checked.
   *
   * @param otherwise the limit if none is named, in bytes
   * @throws UserError if the machine has less
   */
  public long memory(long otherwise) throws UserError {
    if (memory == null) {
      memory = otherwise;
      checkMemory();
    }
    return memory;
  }

  /** Of everything that is drawn at random. */
  public long seed() {
    return bed.seed();
  }

  boolean withCeiling() {
    return !noCeiling;
  }

  BedOptions bed() {
    return bed;
  }

  Path json() {
    return bed.json();
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
    settings.put("readAheadKiB", bed.readAheadKiB());
    settings.put("seed", seed());
    return settings;
  }
}
