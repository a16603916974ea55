/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.suite;

import dev.pread.benchmarks.machine.ByteSize;
import dev.pread.benchmarks.machine.ExitCode;
import dev.pread.benchmarks.machine.Progress;
import dev.pread.benchmarks.machine.StopSignal;
import dev.pread.benchmarks.machine.TestBed;
import dev.pread.benchmarks.machine.UserError;
import dev.pread.benchmarks.machine.Version;
import dev.pread.benchmarks.report.HtmlReport;
import dev.pread.benchmarks.report.Machine;
import dev.pread.benchmarks.report.Recorder;
import dev.pread.benchmarks.report.TextReport;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/**
 * Runs parts of the suite as a command: checks all options before anything is changed, measures
 * part after part, and shows what was measured even if the rest fails or is stopped.
 */
@Command(
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    sortOptions = false,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:measured; what had to be left out is listed",
      "1:wrong bytes or answers, a failure, or reads faster than copies in memory",
      "2:something to put right: a message on standard error says what",
      "3:a failure of this tool or of its disk; a stack trace says what",
      "130:stopped by Ctrl-C; tables and files have what was measured"
    })
public abstract class SuiteCommand implements Callable<Integer> {
  /** What positions, keys, queries and arrivals are drawn by, which are the same in each run. */
  public static final long SEED = 42;

  protected static final long MEBI = ByteSize.MEBI;

  @Spec private CommandSpec spec;

  @Mixin private SuiteOptions options = new SuiteOptions();

  /** What it is measured in: these are set when that begins. */
  protected Session session;

  protected TestBed bed;

  /** The memory limit of each process in bytes; 0 for none. */
  protected long memory;

  /** Returns what to run, in order; a command that says nothing else is its own only part. */
  protected List<SuiteCommand> parts() {
    return List.of(this);
  }

  /** Returns what its cells are listed under: its name. */
  public String name() {
    return getClass().getAnnotation(Command.class).name();
  }

  /** Checks its options, and fills in defaults. */
  protected void check(SuiteOptions suite) {}

  /**
   * Measures, and records each figure as soon as it is known; ends by an exception if the session
   * is stopped. What cannot be had here is recorded as skipped; a wrong byte or answer ends it by
   * an exception.
   */
  protected void measure(Session current) throws IOException {
    session = current;
    session.onBed(name(), memory, this::measureOn);
  }

  private void measureOn(TestBed arranged) throws IOException {
    bed = arranged;
    measureOnBed();
  }

  /** Measures on the bed. A command that is none of its own parts measures nothing. */
  protected void measureOnBed() throws IOException {}

  @Override
  public final Integer call() throws IOException {
    options.check();
    List<SuiteCommand> parts = parts();
    for (SuiteCommand part : parts) {
      part.check(options);
    }
    String words = String.join(" ", spec.commandLine().getParseResult().originalArgs());
    Recorder recorder = new Recorder(Machine.about(words, Version.withCommit()), options.json);
    write(recorder, false); // This fails before hours go by, if it cannot be done.
    try (StopSignal stop = new StopSignal()) {
      Progress progress = new Progress(spec.commandLine().getErr(), stop);
      boolean complete = false;
      try {
        Class<?> main = spec.root().userObject().getClass();
        Session whole = new Session(main, options, recorder, stop, progress);
        for (SuiteCommand part : parts) {
          if (!stop.requested()) {
            if (parts.size() > 1) {
              String which = (parts.indexOf(part) + 1) + " of " + parts.size() + ": ";
              spec.commandLine().getErr().println("part " + which + part.name());
            }
            measure(part, whole);
            complete = part.equals(parts.get(parts.size() - 1)) && !stop.requested();
          }
        }
      } finally {
        TextReport.print(recorder.run(complete), spec.commandLine().getOut());
        write(recorder, complete);
      }
      return complete ? ExitCode.OK : ExitCode.STOPPED;
    }
  }

  /** What fails because the run is being stopped is no failure. */
  private static void measure(SuiteCommand part, Session session) throws IOException {
    try {
      part.measure(session);
    } catch (IOException | UserError e) {
      if (!session.stop().requested()) {
        throw e;
      }
    }
  }

  private void write(Recorder recorder, boolean complete) {
    try {
      recorder.write(complete);
      if (options.html != null) {
        HtmlReport.write(recorder.run(complete), options.html);
      }
    } catch (IOException e) {
      throw new UserError("what --json or --html names cannot be written: " + e, e);
    }
  }
}
