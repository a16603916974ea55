/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.pressure;

import dev.pread.benchmarks.Checks;
import dev.pread.benchmarks.HitMismatch;
import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.child.ChildJvm;
import dev.pread.benchmarks.child.ChildLimits;
import dev.pread.benchmarks.index.DirectoryKind;
import dev.pread.benchmarks.load.DataPattern;
import dev.pread.benchmarks.machine.TestBed;
import dev.pread.benchmarks.result.Metric;
import dev.pread.benchmarks.suite.DirectoryOptions;
import dev.pread.benchmarks.suite.Figures;
import dev.pread.benchmarks.suite.Session;
import dev.pread.benchmarks.suite.SuiteCommand;
import dev.pread.benchmarks.suite.SuiteOptions;
import dev.pread.benchmarks.suite.SuitePart;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code pressure footprint}: what open files and live clones take. */
@Command(
    name = "footprint",
    description =
        "Opens many files and holds many clones that have each read something, and shows what that"
            + " adds to the memory of the process.")
final class FootprintCommand extends SuiteCommand implements SuitePart {
  private static final long MEBI = 1L << 20;
  private static final long FILE_BYTES = 256 << 10;

  @Mixin private DirectoryOptions directories = new DirectoryOptions();

  @Option(
      names = "--files",
      paramLabel = "N",
      description = "Files of 256 KiB to open; default: 1000, with --quick 10")
  private Integer files;

  @Option(
      names = "--clones",
      paramLabel = "N",
      description = "Clones to hold, of all files together; default: 100000, with --quick 20000")
  private Integer clones;

  private long memory;

  /** Made by picocli. */
  FootprintCommand() {}

  @Override
  public String name() {
    return "footprint";
  }

  @Override
  public void check(SuiteOptions options) throws UserError {
    memory = options.memory(0);
    directories.check(memory, options.quick() ? 256 * MEBI : 1024 * MEBI);
    files = files != null ? files : Integer.valueOf(options.quick() ? 10 : 1000);
    clones = clones != null ? clones : Integer.valueOf(options.quick() ? 20_000 : 100_000);
    Checks.positive("--files", files);
    Checks.positive("--clones", clones);
  }

  @Override
  public void measure(Session session) throws IOException, UserError, HitMismatch {
    session.onBed(name(), memory, bed -> measure(session, bed));
  }

  private void measure(Session session, TestBed bed) throws IOException, UserError, HitMismatch {
    bed.folder().require(files * FILE_BYTES);
    for (int i = 0; i < files && !session.stop().requested(); i++) {
      DataPattern.write(
          bed.folder().path().resolve(FootprintTask.file(i)),
          FILE_BYTES,
          session.progress(),
          session.stop());
    }
    session.note(
        "footprint: files are mapped memory, which the kernel can take back, unlike the rest");
    String folder = bed.folder().path().toString();
    ChildJvm jvm = directories.jvm(bed);
    session.rounds(
        name(),
        directories.kinds(),
        (kind, round) -> {
          FootprintTask task =
              new FootprintTask(kind.name(), folder, files, clones, session.options().seed());
          ChildJvm.Result<FootprintTask.Result> result =
              jvm.run(kind.name(), task, ChildLimits.maxSeconds(60));
          if (result != null) {
            record(session, kind, result.value());
          }
        });
  }

  private void record(Session session, DirectoryKind kind, FootprintTask.Result memories)
      throws IOException {
    Map<String, String> conditions =
        new TreeMap<>(Map.of("files", files.toString(), "clones", clones.toString()));
    Figures figures = new Figures(session.recorder(), name(), conditions, kind.contender());
    FootprintTask.Memory before = memories.before();
    FootprintTask.Memory after = memories.after();
    figures.addKnown(Metric.fact("RSS before", "bytes"), before.rss());
    if (before.rss() >= 0) {
      figures.add(Metric.cost("RSS added", "bytes"), (double) after.rss() - before.rss());
      figures.add(
          Metric.cost("of that anonymous", "bytes"),
          (double) after.anonymous() - before.anonymous());
      figures.add(
          Metric.listedCost("bytes per clone", "bytes"),
          (after.anonymous() - memories.opened().anonymous()) / (double) clones);
    }
    figures.add(Metric.cost("on the heap", "bytes"), (double) after.heap() - before.heap());
  }
}
