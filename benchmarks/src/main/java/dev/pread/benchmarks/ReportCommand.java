/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks;

import dev.pread.benchmarks.page.HtmlReport;
import dev.pread.benchmarks.page.TextReport;
import dev.pread.benchmarks.result.Run;
import dev.pread.benchmarks.result.RunFile;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
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
    versionProvider = Main.Version.class,
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
      arity = "1..2",
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
    Run run = RunFile.read(files.get(0));
    PrintWriter out = spec.commandLine().getOut();
    TextReport.print(run, out);
    try {
      if (html != null) {
        HtmlReport.write(run, html);
      }
    } catch (IOException e) {
      throw new UserError("--html " + html + " cannot be written: " + e, e);
    }
    return ExitCode.OK;
  }
}
