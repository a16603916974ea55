/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.machine;

import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pread.harness.LimitedProcess;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * Starts the JVM that measures one slot: this class path and this JDK again, with the contender's
 * options. It is given a task and gives back a result, both as JSON.
 *
 * @param main the program, which runs {@link Child} as a command named {@value #CHILD}
 */
public record ChildJvm(Class<?> main, TestBed bed, long heapBytes, JavaOptions javaOptions) {
  public static final String CHILD = "child";

  private static final String RESULT = "RESULT ";
  private static final int KILLED = 128 + 9;
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Measures in a child JVM; a record, as its result is, so that both travel as JSON. */
  public interface Task<T> {
    /** Returns what messages call it. */
    default String taskName() {
      return getClass().getSimpleName().replace("Task", "").toLowerCase(Locale.ROOT);
    }

    /** Returns further options of its JVM. */
    default List<String> jvmOptions() {
      return List.of();
    }

    T run() throws IOException;
  }

  /** Holds what was measured, and what the cgroup counted that it ran in. */
  public record Result<T>(T value, LimitedProcess.Usage usage) {}

  /** The kernel killed a process, since it needs more memory than the limit leaves it. */
  public static final class Killed extends UserError {
    private static final long serialVersionUID = 1L;

    public Killed(String subject) {
      super(
          subject
              + " was killed by the kernel: its heap, caches and buffers exceed the limit; raise"
              + " --memory, or lower --heap or its cache");
    }
  }

  /**
   * Runs a task that should take so many seconds in a new JVM and, if there is a limit, in a new
   * cgroup.
   *
   * @throws WrongResult if the directory fails or returns wrong bytes, or its JVM ends in another
   *     way
   * @throws UserError if the limit is too small for it
   */
  public <T> Result<T> run(String contender, Task<T> task, double seconds) throws IOException {
    List<String> command = command(contender, task);
    command.addAll(List.of(CHILD, task.getClass().getName()));
    command.add(JSON.writeValueAsString(task));
    LimitedProcess.Ended ended = bed.run(command, seconds);
    if (ended.exit() != ExitCode.OK) {
      throw failure(contender + " in " + task.taskName(), ended);
    }
    String json = ended.out().substring(ended.out().indexOf(RESULT) + RESULT.length());
    JavaType type = JSON.constructType(task.getClass()).findTypeParameters(Task.class)[0];
    return new Result<>(JSON.readValue(json, type), ended.usage());
  }

  private List<String> command(String contender, Task<?> task) {
    List<String> own = new ArrayList<>(task.jvmOptions());
    own.addAll(javaOptions.of(contender));
    List<String> words = new ArrayList<>();
    words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    words.addAll(List.of("-Xmx" + heapBytes, "-Xms" + heapBytes));
    words.add("--enable-native-access=ALL-UNNAMED");
    // Writing the counters for jps and jstat stalls threads when the disk is busy.
    words.add("-XX:+PerfDisableSharedMem");
    if (own.stream().noneMatch(option -> option.matches("-XX:\\+Use\\w+GC"))) {
      // By itself the JVM would choose its collector by the memory limit.
      words.add("-XX:+UseG1GC");
    }
    if (ModuleLayer.boot().findModule("jdk.incubator.vector").isPresent()) {
      words.addAll(List.of("--add-modules", "jdk.incubator.vector"));
    }
    System.getProperties().stringPropertyNames().stream()
        .filter(name -> name.startsWith("dev.pread."))
        .forEach(name -> words.add("-D" + name + "=" + System.getProperty(name)));
    words.addAll(own);
    words.addAll(List.of("-cp", System.getProperty("java.class.path")));
    words.add(main.getName());
    return words;
  }

  private static RuntimeException failure(String subject, LimitedProcess.Ended ended) {
    String said = (ended.out() + " " + ended.err()).strip();
    if (ended.usage().oomKills() > 0 || ended.exit() == KILLED) {
      return new Killed(subject);
    }
    // An option that it does not know, or a heap that it cannot have.
    if (ended.exit() == ExitCode.USAGE
        || said.contains("Could not create the Java Virtual Machine")) {
      return new UserError(said);
    }
    return new WrongResult(subject + " failed (exit code " + ended.exit() + "): " + said);
  }

  /** Runs a task in a child JVM; it is not for people. */
  @Command(name = CHILD, hidden = true, description = "Measures one slot.")
  public static final class Child implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Parameters(index = "0")
    private String task;

    @Parameters(index = "1")
    private String json;

    @Override
    public Integer call() throws Exception {
      Thread.ofPlatform().daemon().name("parent-watch").start(Child::dieWithParent);
      Object result = ((Task<?>) JSON.readValue(json, Class.forName(task))).run();
      spec.commandLine().getOut().println(RESULT + JSON.writeValueAsString(result));
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
}
