/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.pressure;

import dev.pread.benchmarks.Checks;
import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.child.JavaOptions;
import dev.pread.benchmarks.index.ReadKind;
import dev.pread.benchmarks.machine.BedOptions;
import dev.pread.benchmarks.machine.ByteSize;
import dev.pread.benchmarks.machine.TestBed;
import dev.pread.benchmarks.report.Machine;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options that all parts of {@code pressure} have in common. */
final class PressureOptions {
  /**
   * A JVM needs about this much besides its heap: classes, compiled code, stacks, its collector.
   */
  private static final long JVM_BYTES = 96L << 20;

  private static final long MIN_HEAP = 32L << 20;

  @Option(
      names = "--directories",
      paramLabel = "NAME",
      split = ",",
      description =
          "What to read through: mmap, mmap-random, niofs, pread, direct, or class names; for random also"
              + " fio; default: mmap,niofs,pread, for random also mmap-random and fio")
  private List<String> directories;

  @Option(
      names = "--memory",
      paramLabel = "SIZE",
      converter = ByteSize.class,
      description =
          "Memory limit of each measured process, page cache included, like 512m; 0 for none;"
              + " default: 1g for random and merge, none for cold and footprint")
  private Long memory;

  @Option(
      names = "--heap",
      paramLabel = "SIZE",
      converter = ByteSize.class,
      description = "Heap of each measured process; default: an eighth of --memory, at least 64m")
  private Long heap;

  @Option(
      names = "--java-option",
      paramLabel = "NAME=OPTION",
      description =
          "An option for the JVM of one contender, or of all, like"
              + " pread=-Ddev.pread.backend=channel; repeatable")
  private List<String> javaOptions = new ArrayList<>();

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "3",
      description = "Rounds to take medians over; default: ${DEFAULT-VALUE}")
  private int rounds;

  @Mixin private BedOptions bed = new BedOptions();

  /** Made by picocli. */
  PressureOptions() {}

  /** Fills in what was not given. */
  void defaults(List<String> names, long memoryBytes, long heapBytes) {
    directories = directories == null ? names : directories;
    memory = memory == null ? Long.valueOf(memoryBytes) : memory;
    if (heap == null) {
      heap = Math.max(heapBytes, memory / 8);
    }
  }

  /** Checks that they make sense. */
  void check() throws UserError {
    Checks.positive("--rounds", rounds);
    bed.check();
    if (directories.isEmpty()) {
      throw new UserError("--directories names none: name at least one");
    }
    if (heap < MIN_HEAP) {
      throw new UserError(
          "--heap " + ByteSize.format(heap) + " is too small: it must be at least 32m");
    }
    long machine = Machine.totalMemory().orElse(Long.MAX_VALUE);
    if (memory > machine) {
      throw new UserError(
          "--memory "
              + ByteSize.format(memory)
              + " is more than this machine has ("
              + ByteSize.format(machine)
              + "), and would limit nothing: name less");
    }
    if (memory > 0 && memory < heap + JVM_BYTES) {
      throw new UserError(
          "--memory "
              + ByteSize.format(memory)
              + " is too small for a JVM with a heap of "
              + ByteSize.format(heap)
              + ": name at least "
              + ByteSize.format(heap + JVM_BYTES));
    }
  }

  /** Who takes part, each once. */
  List<ReadKind> kinds() throws UserError {
    List<ReadKind> kinds = new ArrayList<>();
    for (String name : new LinkedHashSet<>(directories)) {
      kinds.add(ReadKind.named(name.strip()));
    }
    return kinds;
  }

  JavaOptions javaOptions() throws UserError {
    List<String> names = directories.stream().map(String::strip).toList();
    return JavaOptions.parse(javaOptions, names);
  }

  TestBed.Setup setup() {
    return bed.setup("", memory);
  }

  long memory() {
    return memory;
  }

  long heap() {
    return heap;
  }

  int rounds() {
    return rounds;
  }

  long seed() {
    return bed.seed();
  }

  Path json() {
    return bed.json();
  }

  boolean keep() {
    return bed.keep();
  }

  /** For the report. */
  Map<String, Object> describe() throws UserError {
    Map<String, Object> settings = new LinkedHashMap<>();
    settings.put("directories", directories);
    settings.put("memoryBytes", memory);
    settings.put("heapBytes", heap);
    settings.put("javaOptions", javaOptions().all());
    settings.put("readAheadKiB", bed.readAheadKiB());
    settings.put("rounds", rounds);
    settings.put("seed", seed());
    return settings;
  }
}
