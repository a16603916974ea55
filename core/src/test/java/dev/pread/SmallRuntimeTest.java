/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pread.posix.BackendRegistry;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Runtimes made by jlink leave out what an application does not name. */
class SmallRuntimeTest {

  @TempDir Path folder;

  /** Lucene itself needs no more than the first one. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "java.logging,jdk.unsupported",
        "java.logging,jdk.unsupported,java.management,jdk.management"
      })
  void neitherFlightRecorderNorManagementIsNeeded(String modules) throws Exception {
    String backend = BackendRegistry.configured();
    String output =
        BackendJvm.run(
            folder,
            "--limit-modules=" + modules,
            "--enable-native-access=ALL-UNNAMED",
            "-D" + BackendRegistry.PROPERTY + "=" + backend);
    assertEquals(2, BackendJvm.count(output, BackendJvm.success(backend)), output);
  }
}
