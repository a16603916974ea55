/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.reliability;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Assumptions;

/**
 * What a child process is put into: a chain of commands, each of which changes something of the
 * process and then becomes the next, the last of them a JVM. Nothing has to be undone: filters and
 * limits are the process's, and its mounts, with their loop devices, are those of a mount namespace
 * that ends with it, however it ends. A sandbox is immutable.
 */
record Sandbox(List<String> command) {

  /** No sandbox at all. */
  static final Sandbox NONE = new Sandbox(List.of());

  /** What a command of the chain answers where the machine lacks what it needs. */
  private static final int UNAVAILABLE_STATUS = 77;

  /** A limit for compilers and mounts that hang: everything here takes seconds. */
  private static final long TIMEOUT_SECONDS = 300;

  /** What has come of a child process. */
  record Result(int status, String output) {}

  /**
   * Returns this sandbox with {@code denied} calls, as {@code CALL=ERRNO} by name; those unknown
   * here are left out.
   */
  Sandbox denying(Path folder, List<String> denied) throws Exception {
    Path source = folder.resolve("deny.c");
    Path program = folder.resolve("deny");
    if (!Files.exists(program)) {
      try (InputStream in = Sandbox.class.getResourceAsStream("deny.c")) {
        Files.copy(in, source);
      }
      output(List.of("cc", "-Wall", "-Wextra", "-Werror", "-o", "" + program, "" + source), folder);
    }
    Map<String, String> numbers = callNumbers(source, folder);
    List<String> rules = new ArrayList<>();
    rules.add(program.toString());
    for (String rule : denied) {
      String name = rule.replaceFirst("[:=].*", "");
      if (numbers.containsKey(name)) {
        rules.add(
            rule.replace(name, numbers.get(name))
                .replace("EPERM", "1")
                .replace("EAGAIN", "11")
                .replace("ENOSYS", "38"));
      }
    }
    rules.add("--");
    return then(rules);
  }

  /**
   * Returns the numbers of this processor's system calls, of which the C compiler's headers know.
   */
  private static Map<String, String> callNumbers(Path source, Path folder) throws Exception {
    Matcher matcher =
        Pattern.compile("(?m)^#define __NR_(\\w+) (\\d+)$")
            .matcher(output(List.of("cc", "-E", "-dM", "" + source), folder));
    Map<String, String> numbers = new HashMap<>();
    while (matcher.find()) {
      numbers.put(matcher.group(1), matcher.group(2));
    }
    return numbers;
  }

  private static String output(List<String> compiler, Path folder) throws Exception {
    Result result;
    try {
      result = new Sandbox(compiler).finish(folder);
    } catch (IOException e) {
      return Assumptions.abort("there is no C compiler: " + e.getMessage());
    }
    if (result.status() != 0) {
      throw new AssertionError(result);
    }
    return result.output();
  }

  /**
   * Returns this sandbox with mounts of its own.
   *
   * @param script of the shell, which finds {@code argument} as {@code $1}
   */
  Sandbox mounting(String script, Path argument) {
    return then(
        List.of(
            "unshare",
            "--mount",
            "sh",
            "-c",
            "PATH=$PATH:/usr/sbin:/sbin; sh -ec \"$1\" sh \"$2\" || exit "
                + UNAVAILABLE_STATUS
                + "; shift 2; exec \"$@\"",
            "sh",
            script,
            argument.toString()));
  }

  /** Returns this sandbox with the limits and variables that these statements of the shell set. */
  Sandbox after(String statements) {
    return then(List.of("sh", "-c", statements + "; exec \"$@\"", "sh"));
  }

  private Sandbox then(List<String> next) {
    List<String> chain = new ArrayList<>(command);
    chain.addAll(next);
    return new Sandbox(chain);
  }

  /**
   * Runs a class in it, and skips the test where the machine lacks what it takes.
   *
   * @param folder for what it prints, outside of the sandbox
   * @param options of the JVM
   */
  Result java(Path folder, List<String> options, Class<?> main, Object... arguments)
      throws Exception {
    Result result = then(ChildJvm.command(options, main, arguments)).finish(folder);
    if (result.status() == UNAVAILABLE_STATUS
        || (!command.isEmpty()
            && command.get(0).equals("unshare")
            && result.output().startsWith("unshare:"))) {
      Assumptions.abort("this needs root, and tools that are missing: " + result.output());
    }
    return result;
  }

  private Result finish(Path folder) throws Exception {
    Path output = Files.createTempFile(folder, "output", ".txt");
    Process process =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
        throw new AssertionError("it hangs: " + command + "\n" + Files.readString(output));
      }
      return new Result(process.exitValue(), Files.readString(output));
    } finally {
      process.destroyForcibly();
    }
  }
}
