/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import dev.pread.benchmarks.machine.ChildJvm;
import dev.pread.benchmarks.machine.TestBed;
import dev.pread.benchmarks.suite.Session;
import dev.pread.benchmarks.suite.SuiteOptions;
import java.io.IOException;
import picocli.CommandLine.Command;

/** {@code pressure footprint}: what open files and live clones take. */
@Command(
    name = "footprint",
    description =
        "Opens 1,000 files of 256 KiB and holds 100,000 clones that have each read something, and"
            + " shows what that adds to the memory of the process. With --quick 10 and 20,000.")
final class FootprintCommand extends PressurePart {
  private static final long FILE_BYTES = 256 << 10;
  private static final double SECONDS = 60;

  private int clones;
  private int files;

  @Override
  public void check(SuiteOptions options) {
    boolean quick = options.quick();
    check(options, 0, (quick ? 256 : 1024) * MEBI);
    clones = quick ? 20_000 : 100_000;
    files = quick ? 10 : 1000;
  }

  @Override
  void measure(Session session, TestBed bed) throws IOException {
    bed.folder().require(files * FILE_BYTES);
    for (int i = 0; i < files && !session.stop().requested(); i++) {
      data(session, bed, FootprintTask.file(i), FILE_BYTES);
    }
    session.note(
        "footprint: files are mapped memory, which the kernel can take back, unlike the rest");
    String folder = bed.folder().path().toString();
    long seed = session.options().seed();
    ChildJvm jvm = directories().jvm(bed);
    session.rounds(
        name(),
        directories().kinds(),
        (kind, round) ->
            run(
                session,
                jvm,
                kind.contender(),
                new FootprintTask(kind.name(), folder, files, clones, seed),
                SECONDS));
  }
}
