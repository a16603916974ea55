/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.machine;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Runs a task in a child JVM; it is not for people. */
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
    Thread.ofPlatform().daemon().name("parent-watch").start(ChildCommand::dieWithParent);
    Object result =
        ((ChildJvm.Task<?>) new ObjectMapper().readValue(json, Class.forName(task))).run();
    spec.commandLine().getOut().println(ChildJvm.resultLine(result));
    spec.commandLine().getOut().flush();
    return ExitCode.OK;
  }

  /** A parent that was killed closes our input, to which it sends nothing. */
  private static void dieWithParent() {
    try {
      System.in.transferTo(OutputStream.nullOutputStream());
    } catch (IOException gone) {
      // As good as an end.
    }
    Runtime.getRuntime().halt(ExitCode.STOPPED);
  }
}
