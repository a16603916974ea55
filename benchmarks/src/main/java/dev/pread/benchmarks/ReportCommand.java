/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks;

import dev.pread.benchmarks.machine.ExitCode;
import dev.pread.benchmarks.machine.UserError;
import dev.pread.benchmarks.machine.Version;
import dev.pread.benchmarks.report.HtmlReport;
import dev.pread.benchmarks.report.Run;
import dev.pread.benchmarks.report.RunFile;
import dev.pread.benchmarks.report.TextReport;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Shows results again, and measures nothing. */
@Command(
    name = "report",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    sortOptions = false)
final class ReportCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "FILE", description = "A file that --json wrote")
  private Path file;

  @Option(names = "--html", paramLabel = "FILE")
  private Path html;

  @Override
  public Integer call() {
    Run run = RunFile.read(file);
    TextReport.print(run, spec.commandLine().getOut());
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
