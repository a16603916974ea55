/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.ffi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.PreadDirectory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.apache.lucene.store.IndexOutput;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which backend a process ends up with, and what it is told: in JVMs of their own. */
class BackendChoiceTest {

  @TempDir Path folder;

  /** What the JVMs run: opens a directory, round-trips a file and says which backend did it. */
  static final class Main {

    private Main() {}

    public static void main(String[] args) throws IOException {
      for (int i = 0; i < 2; i++) {
        try (PreadDirectory directory = new PreadDirectory(Path.of(args[0]))) {
          try (IndexOutput out = directory.createOutput("f" + i, IOContext.DEFAULT)) {
            out.writeLong(0x0102030405060708L);
          }
          try (IndexInput in = directory.openInput("f" + i, IOContext.DEFAULT)) {
            System.out.println("backend=" + directory.backendName() + " read=" + in.readLong());
          }
        }
      }
    }
  }

  @Test
  void ffmWhereNativeAccessIsAllowed() throws Exception {
    String output = run("--enable-native-access=ALL-UNNAMED");
    assertEquals(2, count(output, "backend=ffm read=" + 0x0102030405060708L), output);
    assertFalse(output.contains("WARNING"), output);
  }

  @Test
  void channelWhereNativeAccessIsDeniedAndOneMessageSaysSo() throws Exception {
    String output = run("--illegal-native-access=deny");
    assertEquals(2, count(output, "backend=channel read=" + 0x0102030405060708L), output);
    assertEquals(1, count(output, "reads go through java.nio FileChannel"), output);
    assertTrue(output.contains("native access is denied"), output);
    assertTrue(output.contains("--enable-native-access=ALL-UNNAMED"), output);
  }

  @Test
  void channelWhenAskedForSaysNothing() throws Exception {
    String output = run("-Ddev.pread.backend=channel");
    assertEquals(2, count(output, "backend=channel"), output);
    assertFalse(output.contains("FileChannel"), output);
  }

  @Test
  void ffmWhenForcedAndDeniedFailsWithTheRemedy() throws Exception {
    String output = run("--illegal-native-access=deny", "-Ddev.pread.backend=ffm");
    assertTrue(output.contains("backend ffm is not available: native access is denied"), output);
    assertTrue(output.contains("--enable-native-access"), output);
    assertFalse(output.contains("read="), output);
  }

  @Test
  void unknownNamesAreRefusedWithThoseAllowed() throws Exception {
    String output = run("-Ddev.pread.backend=mmap");
    assertTrue(output.contains("unknown backend \"mmap\" from -Ddev.pread.backend"), output);
    assertTrue(output.contains("[ffm, jni, channel]"), output);
    assertFalse(output.contains("read="), output);
  }

  private String run(String... options) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of(options));
    command.addAll(
        List.of(
            "-Xshare:auto",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
            Main.class.getName(),
            Files.createTempDirectory(folder, "index").toString()));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    process.waitFor();
    return output;
  }

  private static int count(String text, String part) {
    return text.split(java.util.regex.Pattern.quote(part), -1).length - 1;
  }
}
