/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import dev.pread.benchmarks.machine.ChildJvm;
import dev.pread.benchmarks.machine.TestBed;
import dev.pread.benchmarks.suite.Session;
import dev.pread.benchmarks.suite.SuiteOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Command;

/** An {@link OutputTask} of each directory, with and without asking. */
@Command(
    name = "output",
    description =
        "Measures writers that are asked for their position after every write beside some that"
            + " are not: time, and system calls.")
public final class OutputCommand extends FileCommand {
  private static final List<Way> WAYS = List.of(Way.MMAP, Way.NIOFS, Way.PREAD, Way.DIRECT);

  /** Slower than any disk to measure: only for the time limit of a child. */
  private static final double SLOW_BYTES_PER_SECOND = 5e6;

  private long length;

  @Override
  public void check(SuiteOptions options) {
    length = (options.quick() ? 8 : 64) * MEBI;
  }

  @Override
  void measure(Session session, TestBed bed) throws IOException {
    bed.folder().require(2 * length);
    Path read = data(session, bed, "data", MEBI);
    ChildJvm jvm = children(bed, HEAP);
    session.rounds(
        name(),
        turns(available(session, WAYS, read), OutputTask.AT_END, OutputTask.AFTER_WRITES),
        (turn, round) ->
            run(
                session,
                jvm,
                turn.way().contender(),
                new OutputTask(
                    turn.way(),
                    read.getParent().toString(),
                    length,
                    turn.manner(),
                    session.options().seed()),
                2 * length / SLOW_BYTES_PER_SECOND));
  }
}
