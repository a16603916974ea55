/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.suite;

import dev.pread.benchmarks.index.DirectoryKind;
import dev.pread.benchmarks.machine.ChildJvm;
import dev.pread.benchmarks.machine.JavaOptions;
import dev.pread.benchmarks.machine.TestBed;
import java.util.List;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options of parts that measure directories, each in JVMs of its own. */
public final class DirectoryOptions {
  @Option(names = "--directories", paramLabel = "NAME", split = ",")
  private List<String> directories = List.of("mmap", "niofs", "pread", "direct");

  @Option(names = "--heap", paramLabel = "SIZE")
  private Long heap;

  @Mixin private JavaOptions jvms = new JavaOptions();

  private List<DirectoryKind> kinds;

  /** Checks the options, and fills in defaults, for a limit in bytes, or 0 for none. */
  public void check(long memory, long leastHeap) {
    heap = heap != null ? heap : Long.valueOf(Math.max(leastHeap, memory / 8));
    kinds = DirectoryKind.named(directories);
    jvms.check(kinds.stream().map(DirectoryKind::name).toList());
  }

  /** Returns who takes part, each once. */
  public List<DirectoryKind> kinds() {
    return kinds;
  }

  public long heap() {
    return heap;
  }

  public ChildJvm jvm(Session session, TestBed bed) {
    return new ChildJvm(session.main(), bed, heap, jvms);
  }
}
