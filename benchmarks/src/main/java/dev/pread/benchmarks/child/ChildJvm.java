/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.child;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pread.benchmarks.ExitCode;
import dev.pread.benchmarks.HitMismatch;
import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.machine.ByteSize;
import dev.pread.benchmarks.machine.LimitedProcess;
import dev.pread.benchmarks.machine.TestBed;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * The JVM that measures one slot: this class path and this JDK again, with the contender's options,
 * given a task and giving back a result, both as JSON.
 */
public final class ChildJvm {
  private static final String RESULT = "RESULT ";
  private static final int KILLED = 137;
  private static final ObjectMapper JSON = new ObjectMapper().registerModule(new HistogramJson());

  private final TestBed bed;
  private final long heapBytes;
  private final JavaOptions javaOptions;

  /**
   * What came back.
   *
   * @param value what was measured
   * @param usage of the cgroup it ran in
   */
  public record Result<T>(T value, LimitedProcess.Usage usage) {}

  /**
   * @param bed to run in
   * @param heapBytes the child's heap
   * @param javaOptions further options by contender
   */
  public ChildJvm(TestBed bed, long heapBytes, JavaOptions javaOptions) {
    this.bed = bed;
    this.heapBytes = heapBytes;
    this.javaOptions = javaOptions;
  }

  /**
   * Runs a task in a new JVM and, if there is a limit, in a new cgroup.
   *
   * @param maxSeconds after which it counts as hanging
   * @return null if the run is being stopped
   * @throws HitMismatch if the directory fails or returns wrong bytes
   * @throws UserError if the limit is too small for it, or its options are wrong
   */
  public <T> Result<T> run(String contender, ChildTask<T> task, double maxSeconds)
      throws IOException, UserError, HitMismatch {
    List<String> command = command(contender, task);
    command.addAll(List.of(ChildCommand.NAME, task.getClass().getName()));
    command.add(JSON.writeValueAsString(task));
    LimitedProcess.Ended ended = bed.run(command, maxSeconds);
    if (ended == null) {
      return null;
    }
    if (ended.exit() != ExitCode.OK) {
      String subject = contender + " in " + task.taskName();
      UserError error = userError(subject, ended);
      if (error != null) {
        throw error;
      }
      throw new HitMismatch(subject + " failed: " + ended.err().strip(), null);
    }
    String line =
        ended
            .out()
            .lines()
            .filter(text -> text.startsWith(RESULT))
            .findFirst()
            .orElseThrow(() -> new IllegalStateException("no result: " + ended.out()));
    return new Result<>(
        JSON.readValue(line.substring(RESULT.length()), task.resultType()), ended.usage());
  }

  private List<String> command(String contender, ChildTask<?> task) {
    List<String> words = new ArrayList<>();
    words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    words.add("-Xmx" + heapBytes);
    words.addAll(task.heapOptions(heapBytes));
    words.addAll(task.jvmOptions());
    words.add("--enable-native-access=ALL-UNNAMED");
    // Writing the counters for jps and jstat stalls threads when the disk is busy.
    words.add("-XX:+PerfDisableSharedMem");
    List<String> own = javaOptions.of(contender);
    if (Stream.concat(own.stream(), task.jvmOptions().stream())
        .noneMatch(option -> option.matches("-XX:\\+Use\\w+GC"))) {
      // By itself the JVM would choose its collector by the memory limit.
      words.add("-XX:+UseG1GC");
    }
    if (ModuleLayer.boot().findModule("jdk.incubator.vector").isPresent()) {
      words.add("--add-modules");
      words.add("jdk.incubator.vector");
    }
    for (String name : System.getProperties().stringPropertyNames()) {
      if (name.startsWith("dev.pread.")) {
        words.add("-D" + name + "=" + System.getProperty(name));
      }
    }
    words.addAll(own);
    words.add("-cp");
    words.add(System.getProperty("java.class.path"));
    words.add("dev.pread.benchmarks.Main");
    return words;
  }

  /** What the user can put right, or null. */
  private UserError userError(String subject, LimitedProcess.Ended ended) {
    String said = ended.err().strip();
    if (ended.usage().oomKills() > 0 || ended.exit() == KILLED) {
      return new ChildKilled(
          String.format(
              Locale.ROOT,
              "%s was killed by the kernel: its heap (%s), caches and buffers exceed the limit;"
                  + " raise --memory, or lower --heap or its cache",
              subject,
              ByteSize.format(heapBytes)));
    }
    if (said.contains("java.lang.OutOfMemoryError")) {
      return new UserError(subject + " ran out of heap: raise --heap (" + said + ")");
    }
    if (said.contains("Could not create the Java Virtual Machine")
        || (ended.out() + said).contains("Error occurred during initialization of VM")) {
      return new UserError(
          subject
              + ": its JVM does not start: correct --java-option or --heap ("
              + (ended.out() + " " + said).strip()
              + ")");
    }
    if (ended.exit() == ExitCode.USAGE) {
      return new UserError(said);
    }
    if (ended.exit() > 128) {
      return new UserError(
          subject + " was ended by signal " + (ended.exit() - 128) + ": run again");
    }
    return null;
  }

  /** The line that {@link #run} looks for. */
  public static String resultLine(Object result) throws IOException {
    return RESULT + JSON.writeValueAsString(result);
  }
}
