/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.suite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.benchmarks.Cli;
import dev.pread.benchmarks.machine.ExitCode;
import dev.pread.benchmarks.machine.WrongResult;
import dev.pread.benchmarks.report.Cell;
import dev.pread.benchmarks.report.Contender;
import dev.pread.benchmarks.report.Figures;
import dev.pread.benchmarks.report.Metric;
import dev.pread.benchmarks.report.Run;
import dev.pread.benchmarks.report.RunFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.lucene.util.IOConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** What all commands of the suite owe their user, whichever parts they run. */
class SuiteCommandTest {
  @TempDir private Path temp;

  private record Conditions(int threads) {}

  /** A part that records one figure, and then something happens. */
  private static final class Scripted extends SuiteCommand {
    private final String name;
    private final IOConsumer<Session> event;

    Scripted(String name, IOConsumer<Session> event) {
      this.name = name;
      this.event = event;
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    protected void measure(Session session) throws IOException {
      Figures figures = Figures.under(new Conditions(1));
      figures.add(Metric.throughput("ops/s"), 5.0);
      session.recorder().add(name, Contender.ours("pread"), figures);
      event.accept(session);
    }
  }

  @Command(name = "scripted")
  private static final class ScriptedCommand extends SuiteCommand {
    private final List<SuiteCommand> parts;

    ScriptedCommand(SuiteCommand... parts) {
      this.parts = List.of(parts);
    }

    @Override
    protected List<SuiteCommand> parts() {
      return parts;
    }
  }

  private Cli run(SuiteCommand... parts) {
    CommandLine command = new CommandLine(new ScriptedCommand(parts));
    return Cli.run(command, "--quick --json=DIR/run.json --html=DIR/run.html", temp);
  }

  private Run written() {
    return RunFile.read(temp.resolve("run.json"));
  }

  private static SuiteCommand fine(String name) {
    return new Scripted(name, session -> {});
  }

  private List<String> measured() {
    return written().cells().stream().map(Cell::benchmark).toList();
  }

  @Test
  void partsRunInOrderAndAllFilesAreWritten() throws Exception {
    Cli cli = run(fine("grid"), fine("streams")).ended(ExitCode.OK);
    Run run = written();
    assertEquals(List.of("grid", "streams"), measured());
    assertTrue(run.complete());
    assertTrue(run.about().command().startsWith("--quick"), run.about().command());
    assertTrue(Files.readString(temp.resolve("run.html")).contains("pread"));
    assertTrue(cli.out().contains("pread"), cli.out());
  }

  @Test
  void aStopKeepsWhatThereIsAndLeavesOutTheRest() throws Exception {
    run(new Scripted("grid", session -> session.stop().request()), fine("streams"))
        .ended(ExitCode.STOPPED);
    assertEquals(List.of("grid"), measured());
    assertFalse(written().complete());
    assertTrue(Files.exists(temp.resolve("run.html")));
  }

  @Test
  void aFailureKeepsWhatThereIs() throws Exception {
    SuiteCommand failing =
        new Scripted(
            "grid",
            session -> {
              throw new WrongResult("faster than a copy");
            });
    Cli cli = run(failing, fine("streams")).ended(ExitCode.WRONG);
    assertTrue(cli.err().endsWith("WRONG: faster than a copy\n"), cli.err());
    assertEquals(List.of("grid"), measured());
    assertFalse(written().complete());
  }

  @Test
  void nothingIsMeasuredThatCannotBeWritten() throws Exception {
    Files.createDirectory(temp.resolve("run.json"));
    for (Path folder : List.of(temp, temp.resolve("absent"))) {
      temp = folder;
      Cli cli = run(fine("grid"));
      cli.says("--json");
      assertEquals("", cli.out(), "there is no report, since nothing was measured");
    }
  }
}
