/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pread.posix.Backend;
import dev.pread.posix.FaultSystemCalls;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/** Tests that use files in a folder, by calls that can be made to fail, and leave none open. */
public abstract class BackendTestCase {

  @TempDir protected Path folder;

  protected final FaultSystemCalls faults = Fixtures.faults();
  protected final Backend backend = new Backend(faults);

  @AfterEach
  final void noFileStaysOpen() throws IOException {
    assertEquals(0, backend.openFiles());
    assertEquals(0, Fixtures.descriptorsIn(folder));
  }
}
