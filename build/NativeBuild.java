/* SPDX-License-Identifier: Apache-2.0 */

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Builds a JNI library from one C file: for this machine with its C compiler, and for the other
 * architecture where a cross compiler is installed. Maven runs it as a source file, by the JDK
 * whose {@code jni.h} it uses:
 *
 * <pre>java NativeBuild.java SOURCE.c OUTPUT-FOLDER LIBRARY.so [EXCLUDES]</pre>
 *
 * makes {@code OUTPUT-FOLDER/linux-x86_64/LIBRARY.so} and {@code
 * OUTPUT-FOLDER/linux-aarch64/LIBRARY.so}. What can't be compiled here is left out, unless
 * {@code -Dlibraries=required} makes that a failure. Where this machine's library is left out, the
 * file EXCLUDES has the pattern of all tests, and a line says so; otherwise it is empty. Without
 * EXCLUDES no line does: the tests do without the library, and another one has said why it is
 * missing.
 */
final class NativeBuild {

  /** Every warning an error; what hardens a library; nothing of this machine in it. */
  private static final List<String> FLAGS =
      List.of(
          "-std=gnu11",
          "-O2",
          "-fPIC",
          "-shared",
          "-fvisibility=hidden",
          "-Wall",
          "-Wextra",
          "-Wconversion",
          "-Werror",
          "-U_FORTIFY_SOURCE",
          "-D_FORTIFY_SOURCE=2",
          "-fstack-protector-strong",
          "-fstack-clash-protection",
          "-Wl,-z,relro,-z,now",
          "-Wl,-z,noexecstack",
          "-Wl,-z,defs",
          "-Wl,--as-needed",
          "-Wl,--build-id=none",
          "-s");

  /** What a processor has besides. */
  private static final Map<String, List<String>> PROCESSOR_FLAGS =
      Map.of(
          "x86_64", List.of("-fcf-protection=full"),
          "aarch64", List.of("-mbranch-protection=standard", "-mno-outline-atomics"));

  /** Whether a library that can't be built is a failure, as in a release. */
  private static final boolean REQUIRED = "required".equals(System.getProperty("libraries"));

  private NativeBuild() {}

  /** What the user has to do something about. */
  private static final class BuildFailure extends Exception {
    private static final long serialVersionUID = 1L;

    BuildFailure(String message) {
      super(message);
    }
  }

  public static void main(String[] args) throws Exception {
    try {
      build(args);
    } catch (BuildFailure e) {
      System.err.println(e.getMessage());
      System.exit(1);
    }
  }

  private static void build(String[] args) throws Exception {
    if (args.length != 3 && args.length != 4) {
      throw new BuildFailure(
          "usage: NativeBuild.java SOURCE.c OUTPUT-FOLDER LIBRARY.so [EXCLUDES]");
    }
    String here = System.getProperty("os.name") + " on " + System.getProperty("os.arch");
    String own = here.endsWith(" aarch64") ? "aarch64" : "x86_64";
    String other = own.equals("x86_64") ? "aarch64" : "x86_64";
    String cross = other.replace('_', '-') + "-linux-gnu-gcc";
    Map<String, List<String>> compilers = new LinkedHashMap<>();
    if (List.of("Linux on amd64", "Linux on aarch64").contains(here)) {
      compilers.put(own, ownCompiler());
      compilers.put(other, first(cross, other + "-linux-gnu-gcc"));
    }
    if (compilers.get(own) == null) {
      String reason =
          compilers.isEmpty()
              ? "it is for Linux on x86-64 and aarch64, and this is " + here
              : "there is no C compiler (Debian, Ubuntu: apt-get install gcc libc6-dev; Fedora: dnf"
                  + " install gcc glibc-devel; or name one in the environment variable CC)";
      if (REQUIRED) {
        throw new BuildFailure("a release needs " + args[2] + ", but " + reason);
      }
      if (args.length == 4) {
        System.out.println(args[2] + " is left out, and the tests of it: " + reason);
      }
    } else if (compilers.get(other) == null && REQUIRED) {
      throw new BuildFailure(
          "a release needs "
              + args[2]
              + " for linux-"
              + other
              + ", but there is no cross compiler"
              + " (Debian: apt-get install gcc-"
              + cross.replace("-gcc", "")
              + ")");
    }
    if (args.length == 4) {
      Path excludes = Path.of(args[3]);
      Files.createDirectories(excludes.getParent());
      Files.writeString(excludes, compilers.get(own) == null ? "**/*\n" : "");
    }
    for (String processor : List.of(own, other)) {
      Path library = Path.of(args[1], "linux-" + processor, args[2]);
      if (compilers.get(processor) == null) {
        Files.deleteIfExists(library);
      } else {
        compile(compilers.get(processor), processor, Path.of(args[0]), library);
      }
    }
  }

  /** Returns the command that the environment names, or else the first usual one, or null. */
  private static List<String> ownCompiler() throws BuildFailure {
    String named = System.getenv("CC");
    if (named == null || named.isBlank()) {
      return first("cc", "gcc", "clang");
    }
    List<String> command = List.of(named.strip().split("\\s+"));
    if (first(command.get(0)) == null) {
      throw new BuildFailure("CC names \"" + named + "\", and there is no such command");
    }
    return command;
  }

  /** Returns the first of these commands that can be run, null if none can. */
  private static List<String> first(String... names) {
    for (String name : names) {
      for (String folder : System.getenv("PATH").split(File.pathSeparator)) {
        if (Files.isExecutable(Path.of(folder).resolve(name))) {
          return List.of(name);
        }
      }
    }
    return null;
  }

  private static void compile(List<String> compiler, String processor, Path source, Path library)
      throws IOException, InterruptedException, BuildFailure {
    Files.createDirectories(library.getParent());
    // Elsewhere first: a library that is in use must not be written into.
    Path made = Files.createTempFile(library.getParent(), library.getFileName().toString(), null);
    try {
      Path include = Path.of(System.getProperty("java.home"), "include");
      List<String> command = new ArrayList<>(compiler);
      command.addAll(FLAGS);
      command.addAll(PROCESSOR_FLAGS.get(processor));
      command.addAll(List.of("-I" + include, "-I" + include.resolve("linux")));
      command.addAll(List.of("-o", made.toString(), source.toString()));
      int status = new ProcessBuilder(command).inheritIO().start().waitFor();
      if (status != 0) {
        throw new BuildFailure(
            "the C compiler ended with status "
                + status
                + "; where it misses jni.h the JDK in "
                + System.getProperty("java.home")
                + " has no headers, where it misses stdio.h or sys/"
                + " the headers of libc are to be installed (Debian: libc6-dev): "
                + String.join(" ", command));
      }
      Files.move(made, library, StandardCopyOption.REPLACE_EXISTING);
    } finally {
      Files.deleteIfExists(made);
    }
  }
}
