/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pread.posix.BackendRegistry;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runtimes made by jlink leave out what an application does not name. */
class SmallRuntimeTest {

  /** What Lucene itself needs. */
  private static final String MODULES =
      "java.logging,java.management,jdk.management,jdk.unsupported";

  @TempDir Path folder;

  @Test
  void theCacheNeedsNoFlightRecorder() throws Exception {
    String backend = BackendRegistry.configured();
    String output =
        BackendJvm.run(
            folder,
            "--limit-modules=" + MODULES,
            "--enable-native-access=ALL-UNNAMED",
            "-D" + BackendRegistry.PROPERTY + "=" + backend);
    assertEquals(2, BackendJvm.count(output, BackendJvm.success(backend)), output);
  }
}
