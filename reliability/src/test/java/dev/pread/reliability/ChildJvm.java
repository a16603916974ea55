/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.reliability;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A JVM with this class path, made to start quickly and to stay small. */
final class ChildJvm {

  private ChildJvm() {}

  /** Returns the command that runs {@code main}, with further options of the JVM. */
  static List<String> command(List<String> options, Class<?> main, Object... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of(
            "-Xshare:auto",
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-Xmx128m",
            "-ea",
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"))));
    command.addAll(options);
    command.add(main.getName());
    for (Object argument : arguments) {
      command.add(argument.toString());
    }
    return command;
  }

  /** Starts one; what it writes to standard error comes with its output. */
  static Process start(Class<?> main, Object... arguments) throws IOException {
    return new ProcessBuilder(command(List.of(), main, arguments))
        .redirectErrorStream(true)
        .start();
  }
}
