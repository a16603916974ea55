/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Only an index that is complete, and of the same text and size, is taken again. */
class FilledIndexTest {
  @TempDir private Path temp;

  @Test
  void onlyTheSameOriginIsTaken() throws Exception {
    assertNull(FilledIndex.kept(temp, "a"));
    FilledIndex index = new FilledIndex("a", 10, 3);
    index.keep(temp);
    assertEquals(index, FilledIndex.kept(temp, "a"));
    assertNull(FilledIndex.kept(temp, "b"));
    FilledIndex.forget(temp);
    assertNull(FilledIndex.kept(temp, "a"));
    FilledIndex.forget(temp);
    Files.writeString(temp.resolve("filled.json"), "{\"orig");
    assertNull(FilledIndex.kept(temp, "a"));
  }
}
