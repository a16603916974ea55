/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.ffi;

import static dev.pread.BackendJvm.count;
import static dev.pread.BackendJvm.success;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.BackendJvm;
import dev.pread.Fixtures;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which backend a process ends up with, and what it is told: in JVMs of their own. */
class BackendChoiceTest {

  @TempDir Path folder;

  @Test
  void ffmWhereNativeAccessIsAllowed() throws Exception {
    String output = BackendJvm.run(folder, "--enable-native-access=ALL-UNNAMED");
    assertEquals(2, count(output, success("ffm")), output);
    assertFalse(output.contains("WARNING"), output);
  }

  @Test
  void channelWhereNativeAccessIsDeniedAndOneMessageSaysSo() throws Exception {
    String output = BackendJvm.run(folder, "--illegal-native-access=deny");
    assertEquals(2, count(output, success("channel")), output);
    assertEquals(1, count(output, "java.nio FileChannel"), output);
    Fixtures.assertNames(output, "denied", "--enable-native-access=ALL-UNNAMED");
  }

  @Test
  void channelWhenAskedForSaysNothing() throws Exception {
    String output = BackendJvm.run(folder, "-Ddev.pread.backend=channel");
    assertEquals(2, count(output, success("channel")), output);
    assertFalse(output.contains("FileChannel"), output);
  }

  @Test
  void ffmWhenForcedAndDeniedFailsWithTheRemedy() throws Exception {
    String output =
        BackendJvm.run(folder, "--illegal-native-access=deny", "-Ddev.pread.backend=ffm");
    assertTrue(output.contains("IllegalStateException"), output);
    Fixtures.assertNames(output, "ffm", "denied", "--enable-native-access");
    assertFalse(output.contains("read="), output);
  }

  @Test
  void unknownNamesAreRefusedWithThoseAllowed() throws Exception {
    String output = BackendJvm.run(folder, "-Ddev.pread.backend=mmap");
    Fixtures.assertNames(output, "mmap", "-Ddev.pread.backend", "ffm", "jni", "channel");
    assertFalse(output.contains("read="), output);
  }
}
