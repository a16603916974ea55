/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.pressure;

import dev.pread.benchmarks.Checks;
import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.child.JavaOptions;
import dev.pread.benchmarks.index.ReadKind;
import dev.pread.benchmarks.machine.ByteSize;
import dev.pread.benchmarks.machine.TestBed;
import dev.pread.benchmarks.report.Machine;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
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
      names = "--read-ahead",
      paramLabel = "KIB",
      defaultValue = "128",
      description =
          "Pin the device's read-ahead while measuring; 0 leaves it; default: ${DEFAULT-VALUE}")
  private long readAhead;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "3",
      description = "Rounds to take medians over; default: ${DEFAULT-VALUE}")
  private int rounds;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "42",
      description = "Draws other positions or queries; default: ${DEFAULT-VALUE}")
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
      description = "Write everything there too: machine, settings, the figures of every round")
  private Path json;

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
    if (readAhead < 0) {
      throw new UserError("--read-ahead is " + readAhead + ": it must not be negative");
    }
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
    if (json != null) {
      Checks.writable("--json", json);
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
    return new TestBed.Setup(work, keep, memory, readAhead);
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
    return seed;
  }

  Path json() {
    return json;
  }

  boolean keep() {
    return keep;
  }

  /** For the report. */
  Map<String, Object> describe() throws UserError {
    Map<String, Object> settings = new LinkedHashMap<>();
    settings.put("directories", directories);
    settings.put("memoryBytes", memory);
    settings.put("heapBytes", heap);
    settings.put("javaOptions", javaOptions().all());
    settings.put("readAheadKiB", readAhead);
    settings.put("rounds", rounds);
    settings.put("seed", seed);
    return settings;
  }
}
