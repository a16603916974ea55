/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks;

import dev.pread.benchmarks.report.ComparisonReport;
import dev.pread.benchmarks.report.HtmlReport;
import dev.pread.benchmarks.report.TextReport;
import dev.pread.benchmarks.result.Run;
import dev.pread.benchmarks.result.RunFile;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
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

  /** Made by picocli. */
  ReportCommand() {}

  @Override
  public Integer call() throws UserError {
    if (files.size() > 2) {
      throw new ParameterException(
          spec.commandLine(), files.size() + " files: name one to show, or two to compare");
    }
    List<ComparisonReport.Named> runs = new ArrayList<>();
    for (Path file : files) {
      runs.add(new ComparisonReport.Named(String.valueOf(file), RunFile.read(file)));
    }
    PrintWriter out = spec.commandLine().getOut();
    try {
      if (runs.size() == 1) {
        Run run = runs.get(0).run();
        TextReport.print(run, out);
        if (html != null) {
          HtmlReport.write(run, html);
        }
      } else {
        ComparisonReport report = new ComparisonReport(runs.get(0), runs.get(1));
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
