/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.suite;

import dev.pread.benchmarks.machine.ByteSize;
import dev.pread.benchmarks.machine.TestBed;
import dev.pread.benchmarks.machine.UserError;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** The options that all parts of the suite have in common. */
public final class SuiteOptions {
  @Option(names = "--quick")
  private boolean quick;

  @Option(names = "--rounds", paramLabel = "N")
  private Integer rounds;

  @Option(names = "--memory", paramLabel = "SIZE")
  private Long memory;

  @Option(names = "--read-ahead", paramLabel = "KIB", defaultValue = "128")
  private long readAhead;

  @Option(names = "--work", paramLabel = "DIR")
  private Path work;

  @Option(names = "--keep")
  private boolean keep;

  @Option(names = "--json", paramLabel = "FILE")
  Path json;

  @Option(names = "--html", paramLabel = "FILE")
  Path html;

  void check() {
    if (memory != null && memory < 256 * ByteSize.MEBI) {
      throw new UserError(
          "--memory " + ByteSize.format(memory) + " is no useful limit: name 256m or more");
    }
  }

  public boolean quick() {
    return quick;
  }

  public int rounds() {
    return rounds != null ? rounds : quick ? 1 : 3;
  }

  /** Sets another default for the rounds of a command, while its options are checked. */
  public void rounds(int otherwise) {
    rounds = rounds != null || quick ? rounds : Integer.valueOf(otherwise);
  }

  public long memory() {
    return memory != null ? memory : quick ? 384 * ByteSize.MEBI : 1024 * ByteSize.MEBI;
  }

  /** Sets another default for the memory, or 0 for no limit, while options are checked. */
  public long memory(long otherwise) {
    memory = memory != null ? memory : Long.valueOf(otherwise);
    return memory;
  }

  /** Leaves the device's read-ahead alone, while options are checked. */
  public void leaveReadAhead() {
    readAhead = 0;
  }

  /** Returns what a part with a folder of its own needs of the machine. */
  TestBed.Setup setup(String folder, long limit) {
    return new TestBed.Setup(work == null ? null : work.resolve(folder), keep, limit, readAhead);
  }
}
