/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.reliability;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A JVM with this class path, made to start quickly and to stay small. */
final class ChildJvm {

  private ChildJvm() {}

  /**
   * Starts one; what it writes to standard error comes with its output.
   *
   * @param launcher a command that runs the one it is followed by; empty for none
   */
  static Process start(List<String> launcher, Class<?> main, Object... arguments)
      throws IOException {
    List<String> command = new ArrayList<>(launcher);
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
            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
            main.getName()));
    for (Object argument : arguments) {
      command.add(argument.toString());
    }
    return new ProcessBuilder(command).redirectErrorStream(true).start();
  }
}
