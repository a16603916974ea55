/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.pressure;

import dev.pread.benchmarks.ExitCode;
import dev.pread.benchmarks.StopSignal;
import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.index.ReadKind;
import dev.pread.benchmarks.machine.TestBed;
import dev.pread.benchmarks.machine.UnavailableException;
import dev.pread.benchmarks.measure.HitMismatch;
import dev.pread.benchmarks.report.Progress;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/**
 * What the parts of {@code pressure} do alike: check, set up, measure in rounds, report, put back.
 * What was measured is reported even if the rest fails or is stopped.
 */
@Command(
    mixinStandardHelpOptions = true,
    versionProvider = dev.pread.benchmarks.Version.class,
    sortOptions = false,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:measured, or skipped where no memory limit can be had, which is said",
      "1:a directory returns wrong bytes or hits, or fails",
      "2:something to put right: one line on standard error says what",
      "3:a defect of this tool",
      "130:stopped by Ctrl-C; the table shows what was measured"
    })
abstract class PressurePart implements Callable<Integer> {
  static final long MEBI = 1L << 20;

  @Spec private CommandSpec spec;

  @Mixin private PressureOptions options = new PressureOptions();

  private Progress progress;

  /** Fills in defaults and checks the part's own options; those of all are checked afterwards. */
  abstract void check() throws UserError;

  /** Makes the empty report that {@link #measure} fills. */
  abstract PartReport newReport() throws UserError;

  /** Writes the files and measures; returns early if stopped. */
  abstract void measure(TestBed bed, PartReport report) throws IOException, UserError, HitMismatch;

  final PressureOptions options() {
    return options;
  }

  final Progress progress() {
    return progress;
  }

  @Override
  public final Integer call() throws Exception {
    check();
    options.check();
    options.kinds();
    options.javaOptions();
    PartReport report = newReport();
    PrintWriter out = spec.commandLine().getOut();
    progress = new Progress(spec.commandLine().getErr(), Progress.onTerminal());
    try (StopSignal stop = StopSignal.ofShutdown();
        TestBed bed = TestBed.open(options.setup(), stop)) {
      try {
        measure(bed, report);
      } finally {
        progress.wipe();
        report.print(out, bed.notes(), stop.requested());
        writeJson(report, bed.notes());
      }
      if (options.keep()) {
        out.println("files kept: use them again with --work " + bed.folder().path());
        out.flush();
      }
      return stop.requested() ? ExitCode.STOPPED : ExitCode.OK;
    } catch (UnavailableException e) {
      out.println("skipped: " + e.getMessage());
      out.flush();
      writeJson(report, List.of("skipped: " + e.getMessage()));
      return ExitCode.OK;
    }
  }

  private void writeJson(PartReport report, List<String> notes) throws UserError {
    Path file = options.json();
    if (file != null) {
      try {
        Files.write(file, report.json(spec.name(), options.describe(), notes));
      } catch (IOException e) {
        throw new UserError("--json " + file + " cannot be written: " + e, e);
      }
    }
  }

  /** The same things in an order that begins with another one in each round. */
  static <T> List<T> rotated(List<T> things, int round) {
    List<T> order = new ArrayList<>(things);
    java.util.Collections.rotate(order, -(round % things.size()));
    return order;
  }

  /** Who takes part, where fio cannot. */
  final List<ReadKind> directories() throws UserError {
    List<ReadKind> kinds = options.kinds();
    if (kinds.stream().anyMatch(ReadKind::isFio)) {
      throw new UserError("fio reads through no directory: leave it out of --directories");
    }
    return kinds;
  }
}
