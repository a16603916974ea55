/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.apache.lucene.store.IndexOutput;

/**
 * A JVM with this class path that opens a directory, round-trips a file and says which backend did
 * it, twice: for tests of what a process ends up with, and of what it is told.
 */
public final class BackendJvm {

  private static final long VALUE = 0x0102030405060708L;

  private BackendJvm() {}

  /** What it runs; the argument is a folder. */
  public static void main(String[] args) throws IOException {
    for (int i = 0; i < 2; i++) {
      try (PreadDirectory directory = new PreadDirectory(Path.of(args[0]))) {
        try (IndexOutput out = directory.createOutput("f" + i, IOContext.DEFAULT)) {
          out.writeLong(VALUE);
        }
        try (IndexInput in = directory.openInput("f" + i, IOContext.DEFAULT)) {
          System.out.println("backend=" + directory.backendName() + " read=" + in.readLong());
        }
      }
    }
  }

  /** Returns what it prints where {@code backend} did it. */
  public static String success(String backend) {
    return "backend=" + backend + " read=" + VALUE;
  }

  /**
   * Runs it.
   *
   * @param folder for its files
   * @param options of the JVM
   * @return all it has printed
   */
  public static String run(Path folder, String... options) throws Exception {
    return run(
        Map.of(),
        List.of(options),
        BackendJvm.class,
        Files.createTempDirectory(folder, "index").toString());
  }

  /**
   * Runs another class with a {@code main} in a JVM with this class path.
   *
   * @param environment what its environment has beside or instead of this one's
   * @param options of the JVM
   * @return all it has printed
   */
  public static String run(
      Map<String, String> environment, List<String> options, Class<?> main, String... arguments)
      throws Exception {
    return run(environment, options, classPath(), main, arguments);
  }

  /** Runs a class in a JVM with another class path. */
  public static String run(
      Map<String, String> environment,
      List<String> options,
      String classPath,
      Class<?> main,
      String... arguments)
      throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(options);
    command.addAll(
        List.of("-Xshare:auto", "-XX:TieredStopAtLevel=1", "-cp", classPath, main.getName()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().putAll(environment);
    Process process = builder.start();
    Executor later =
        CompletableFuture.delayedExecutor(3 * Fixtures.TIMEOUT_SECONDS, TimeUnit.SECONDS);
    CompletableFuture<Void> end = CompletableFuture.runAsync(process::destroyForcibly, later);
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    process.waitFor();
    assertTrue(end.cancel(false), () -> "it hangs: " + output);
    return output;
  }

  /**
   * Compiles classes of another Lucene, which come before all others on the class path of the JVM.
   *
   * @param folder for the sources and the classes
   * @param types of the package {@code org.apache.lucene.store}: the source of each by its name
   */
  public static void compile(Path folder, Map<String, String> types) throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    assumeTrue(compiler != null, "this is a runtime without a compiler");
    List<String> arguments = new ArrayList<>(List.of("-cp", classPath(), "-d", folder.toString()));
    for (Map.Entry<String, String> type : types.entrySet()) {
      Path source = folder.resolve(type.getKey() + ".java");
      String text = "package org.apache.lucene.store;\n" + type.getValue();
      arguments.add(Files.writeString(source, text).toString());
    }
    assertEquals(0, compiler.run(null, null, null, arguments.toArray(String[]::new)));
  }

  /** Runs it with the classes of a folder before all others. */
  public static String runWith(Path first, String... options) throws Exception {
    return run(
        Map.of(),
        List.of(options),
        first + File.pathSeparator + classPath(),
        BackendJvm.class,
        Files.createTempDirectory(first, "index").toString());
  }

  private static String classPath() {
    return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
  }

  /** Returns how often {@code text} has {@code part}. */
  public static int count(String text, String part) {
    return text.split(Pattern.quote(part), -1).length - 1;
  }
}
