/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.machine;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pread.benchmarks.ExitCode;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The inside of a child JVM; not for people. */
@Command(name = ChildCommand.NAME, hidden = true, description = "Measures one slot.")
public final class ChildCommand implements Callable<Integer> {
  public static final String NAME = "child";

  @Spec private CommandSpec spec;

  @Parameters(index = "0")
  private String task;

  @Parameters(index = "1")
  private String json;

  @Override
  public Integer call() throws Exception {
    Thread watch = new Thread(ChildCommand::dieWithParent, "parent-watch");
    watch.setDaemon(true);
    watch.start();
    Object result = ((ChildTask<?>) new ObjectMapper().readValue(json, Class.forName(task))).run();
    PrintWriter out = spec.commandLine().getOut();
    out.println(ChildJvm.resultLine(result));
    out.flush();
    return ExitCode.OK;
  }

  /** A parent that was killed closes our input: nobody wants the result then. */
  private static void dieWithParent() {
    try {
      while (System.in.read() >= 0) {
        // Nothing is ever sent.
      }
    } catch (IOException gone) {
      // As good as an end.
    }
    Runtime.getRuntime().halt(ExitCode.STOPPED);
  }
}
