/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import dev.pread.benchmarks.suite.DirectoryOptions;
import dev.pread.benchmarks.suite.SuiteOptions;
import dev.pread.benchmarks.suite.SuitePart;
import java.util.List;
import picocli.CommandLine.Mixin;

/** What the parts of {@code pressure} do alike: they measure any directories, and no ceilings. */
abstract class PressurePart extends FileCommand {
  @Mixin private DirectoryOptions directories = new DirectoryOptions();

  private long memory;

  @Override
  protected final List<SuitePart> parts() {
    return List.of(this);
  }

  @Override
  final long memory() {
    return memory;
  }

  /**
   * Checks the options that all parts have.
   *
   * @param limit of the memory if none is named; 0 for none
   * @param heap of each process if none is named, or more
   */
  final void check(SuiteOptions options, long limit, long heap) {
    memory = options.memory(limit);
    directories.check(memory, heap);
  }

  final DirectoryOptions directories() {
    return directories;
  }
}
