/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks;

import dev.pread.benchmarks.machine.ExitCode;
import dev.pread.benchmarks.machine.UserError;
import dev.pread.benchmarks.machine.Version;
import dev.pread.benchmarks.report.ComparisonReport;
import dev.pread.benchmarks.report.HtmlReport;
import dev.pread.benchmarks.report.Run;
import dev.pread.benchmarks.report.RunFile;
import dev.pread.benchmarks.report.TextReport;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Shows results again, or compares those of two runs. Measures nothing. */
@Command(
    name = "report",
    description = {
      "Shows a run again from its JSON file, as tables and as a page, or compares two runs.",
      "With two files every cell that both have is compared, the second relative to the first, with"
          + " a 95 %% confidence interval; differences of machine, JVM and settings come first."
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    sortOptions = false,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:shown",
      "2:something to put right: one line on standard error says what",
      "3:a defect of this tool"
    })
final class ReportCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(
      paramLabel = "FILE",
      arity = "1..*",
      description = "One or two files that --json wrote")
  private List<Path> files;

  @Option(
      names = "--html",
      paramLabel = "FILE",
      description = "Write a page too; it needs no network, and takes its plots with it")
  private Path html;

  @Override
  public Integer call() {
    if (files.size() > 2) {
      throw new ParameterException(
          spec.commandLine(), files.size() + " files: name one to show, or two to compare");
    }
    List<Run> runs = files.stream().map(RunFile::read).toList();
    PrintWriter out = spec.commandLine().getOut();
    try {
      if (runs.size() == 1) {
        TextReport.print(runs.get(0), out);
        if (html != null) {
          HtmlReport.write(runs.get(0), html);
        }
      } else {
        ComparisonReport report =
            ComparisonReport.of(
                files.get(0).toString(), runs.get(0), files.get(1).toString(), runs.get(1));
        report.print(out);
        if (html != null) {
          HtmlReport.write(report, html);
        }
      }
    } catch (IOException e) {
      throw new UserError("--html " + html + " cannot be written: " + e, e);
    }
    return ExitCode.OK;
  }
}
