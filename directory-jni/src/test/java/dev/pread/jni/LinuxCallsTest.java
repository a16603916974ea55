/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.jni;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The C code without a JVM, under the compiler's sanitizers, and the libraries that were built. */
class LinuxCallsTest {

  /** The C library of the oldest systems that are to load it, for example RHEL 7's. */
  private static final int NEWEST_GLIBC_MINOR = 17;

  private static final Pattern CALL = Pattern.compile("(\\w+)\\(");
  private static final Pattern CONSTANT =
      Pattern.compile("\\b([A-Z][A-Z_0-9]*)(?: =)? (-?(?:0x[0-9a-fA-F]+|[0-9]+))\\b");

  /** A version of glibc that a library needs; there are some without a number. */
  private static final Pattern GLIBC = Pattern.compile("GLIBC_(?:2\\.(\\d+)|\\w+)");

  @TempDir Path folder;

  private static String run(List<String> command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return output + "status=" + process.waitFor();
  }

  private static void assumeCommand(String name) {
    boolean there = false;
    for (String path : System.getenv("PATH").split(File.pathSeparator, -1)) {
      there |= Files.isExecutable(Path.of(path).resolve(name));
    }
    Assumptions.assumeTrue(there, "no " + name);
  }

  /**
   * Returns the folder with {@code jni.h}: a JDK's, while these tests may run on a mere runtime.
   */
  private static Path include() {
    for (String home :
        new String[] {System.getProperty("dev.pread.test.jdk"), System.getProperty("java.home")}) {
      if (home != null && Files.exists(Path.of(home, "include", "jni.h"))) {
        return Path.of(home, "include");
      }
    }
    Assumptions.abort("no JDK with jni.h");
    return null;
  }

  private Path program(String compiler, String source, String... options) throws Exception {
    assumeCommand(compiler);
    Path program = folder.resolve(source);
    List<String> command =
        new ArrayList<>(
            List.of(compiler, "-std=gnu11", "-g", "-O1", "-Wall", "-Wextra", "-Werror"));
    command.addAll(List.of(options));
    Path include = include();
    command.addAll(List.of("-I" + include, "-I" + include.resolve("linux")));
    command.addAll(List.of("-o", program.toString(), "src/test/c/" + source + ".c"));
    assertEquals("status=0", run(command));
    return program;
  }

  private Path compile(String... options) throws Exception {
    return program("gcc", "linux_calls_test", options);
  }

  @Test
  void everyFunctionPassesTheSanitizers() throws Exception {
    Path program =
        compile(
            "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer");
    Path files = Files.createDirectory(folder.resolve("files"));
    assertEquals("ok\nstatus=0", run(List.of(program.toString(), files.toString(), "50")));
  }

  @Test
  void everyFunctionPassesValgrind() throws Exception {
    assumeCommand("valgrind");
    Path program = compile();
    Path files = Files.createDirectory(folder.resolve("files"));
    assertEquals(
        "ok\nstatus=0",
        run(
            List.of(
                "valgrind",
                "--quiet",
                "--leak-check=full",
                "--error-exitcode=9",
                program.toString(),
                files.toString(),
                "5")));
  }

  /**
   * Alpine's C library works with the calls compiled for it, and with the library that was compiled
   * for glibc.
   */
  @Test
  void everyFunctionWorksWithMusl() throws Exception {
    Assumptions.assumeFalse(
        System.getProperty("os.arch").equals("aarch64"), "the library there needs glibc's loader");
    // The headers of the kernel, which the compiler for musl does not look for.
    String[] headers = {"-idirafter/usr/include", "-idirafter/usr/include/x86_64-linux-gnu"};
    Path calls = program("musl-gcc", "linux_calls_test", headers);
    Path files = Files.createDirectory(folder.resolve("files"));
    assertEquals("ok\nstatus=0", run(List.of(calls.toString(), files.toString(), "50")));
    Path loader = program("musl-gcc", "load_library");
    String library = library("linux-x86_64").toString();
    assertEquals(LinuxCalls.VERSION + "\nstatus=0", run(List.of(loader.toString(), library)));
  }

  private Path library(String platform) throws IOException {
    Path file = folder.resolve("library.so");
    try (InputStream in = NativeLibrary.class.getResourceAsStream(platform + "/libpread_jni.so")) {
      Assumptions.assumeTrue(in != null, "not built for " + platform);
      Files.copy(in, file);
    }
    return file;
  }

  @ParameterizedTest
  @ValueSource(strings = {"linux-x86_64", "linux-aarch64"})
  void theLibraryNeedsNothingButLibcAndIsHardened(String platform) throws Exception {
    assumeCommand("readelf");
    Path library = library(platform);
    String dynamic = run(List.of("readelf", "--wide", "--dynamic", library.toString()));
    Matcher needed = Pattern.compile("NEEDED\\D+\\[(.*?)]").matcher(dynamic);
    List<String> libraries = new ArrayList<>();
    while (needed.find()) {
      // The loader is a part of libc; on aarch64 it has the canary of the stack protector.
      if (!needed.group(1).startsWith("ld-linux-")) {
        libraries.add(needed.group(1));
      }
    }
    assertEquals(List.of("libc.so.6"), libraries, dynamic);
    assertTrue(dynamic.contains("BIND_NOW"), dynamic);
    assertFalse(dynamic.contains("RPATH") || dynamic.contains("RUNPATH"), dynamic);
    String segments = run(List.of("readelf", "--wide", "--segments", library.toString()));
    assertTrue(segments.contains("GNU_RELRO"), segments);
    Matcher stack = Pattern.compile("GNU_STACK.*").matcher(segments);
    assertTrue(stack.find(), segments);
    assertFalse(stack.group().contains("RWE"), segments);
    String symbols = run(List.of("readelf", "--wide", "--dyn-syms", library.toString()));
    assertTrue(symbols.contains("__stack_chk_fail"), symbols);
  }

  /** The names of the versions lie in the file as text, so that this needs no tool to be there. */
  @ParameterizedTest
  @ValueSource(strings = {"linux-x86_64", "linux-aarch64"})
  void theLibraryLoadsWithAnOldLibc(String platform) throws IOException {
    String text = Files.readString(library(platform), StandardCharsets.ISO_8859_1);
    List<MatchResult> versions = GLIBC.matcher(text).results().toList();
    assertFalse(versions.isEmpty());
    for (MatchResult version : versions) {
      String minor = version.group(1);
      assertTrue(
          minor != null && Integer.parseInt(minor) <= NEWEST_GLIBC_MINOR,
          version.group() + " is too new");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"linux-x86_64", "linux-aarch64"})
  void theLibraryExportsTheNativeMethodsAndNothingElse(String platform) throws Exception {
    assumeCommand("readelf");
    String symbols = run(List.of("readelf", "--wide", "--dyn-syms", library(platform).toString()));
    List<String> exported =
        symbols
            .lines()
            .map(line -> line.strip().split("\\s+"))
            .filter(words -> words.length == 8 && words[4].equals("GLOBAL"))
            .filter(words -> !words[6].equals("UND"))
            .map(words -> words[7])
            .sorted()
            .toList();
    List<String> methods = new ArrayList<>();
    for (Method method : LinuxCalls.class.getDeclaredMethods()) {
      if (Modifier.isNative(method.getModifiers())) {
        methods.add("Java_dev_pread_jni_LinuxCalls_" + method.getName());
      }
    }
    methods.sort(null);
    assertTrue(methods.size() > 15, "" + methods);
    assertEquals(methods, exported);
  }

  /**
   * The C code and this class each name the numbers that they exchange. Nothing else compares them:
   * a number that only one of them changes is a wrong field of an answer.
   */
  @Test
  void constantsAreThoseOfTheSource() throws Exception {
    Map<String, Integer> source = new HashMap<>();
    Matcher constant = CONSTANT.matcher(source());
    while (constant.find()) {
      source.put(constant.group(1), Integer.decode(constant.group(2)));
    }
    Map<String, Integer> ours = new HashMap<>();
    for (Field field : LinuxCalls.class.getDeclaredFields()) {
      ours.put(field.getName(), field.getInt(null));
    }
    assertTrue(ours.size() > 6, ours::toString);
    source.keySet().retainAll(ours.keySet());
    assertEquals(ours, source);
  }

  /**
   * Between the two calls of the critical section there is the one call that does not wait. This
   * looks at the source, since nothing else would notice: a call that waits there holds up the
   * garbage collector, and returns the same bytes.
   */
  @Test
  void theCriticalSectionHasOneCallThatDoesNotWait() throws IOException {
    String source = source();
    List<String> sections =
        source.lines().filter(l -> l.contains("GetPrimitiveArrayCritical")).toList();
    assertEquals(1, sections.size(), sections::toString);
    int from = source.indexOf("  }\n", source.indexOf(sections.get(0)));
    String section = source.substring(from, source.indexOf("ReleasePrimitiveArrayCritical", from));
    List<String> calls = CALL.matcher(section).results().map(call -> call.group(1)).toList();
    assertEquals(List.of("answer", "pread_no_wait"), calls);
    int call = source.indexOf("pread_no_wait(");
    assertTrue(source.substring(call, source.indexOf("\n}", call)).contains("RWF_NOWAIT"));
  }

  private static String source() throws IOException {
    return Files.readString(Path.of("src/main/c/linux_calls.c"));
  }
}
