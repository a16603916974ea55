/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.machine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files that tell where their bytes are from, and their page cache. */
class DataPatternTest {
  private static final int LENGTH = (3 << 20) + 4096;

  @TempDir private Path temp;

  @Test
  void fileThatIsRightIsLeftAndAnotherIsReplaced() throws IOException {
    Path file = temp.resolve("data");
    DataPattern.write(file, LENGTH);
    byte[] expected = Files.readAllBytes(file);
    FileTime time = FileTime.fromMillis(1_000_000_000_000L);
    Files.setLastModifiedTime(file, time);
    DataPattern.write(file, LENGTH);
    assertEquals(time, Files.getLastModifiedTime(file));
    Files.write(file, new byte[LENGTH]);
    DataPattern.write(file, LENGTH);
    assertArrayEquals(expected, Files.readAllBytes(file));
  }

  @Test
  void pageCacheOfAFileIsEmptied() throws Exception {
    Machines.assumeLinuxOnDisk(temp);
    Path file = temp.resolve("data");
    DataPattern.write(file, LENGTH);
    Files.readAllBytes(file);
    assertTrue(isResident(file));
    PageCache.drop(file);
    assertFalse(isResident(file));
    Files.write(file, new byte[LENGTH]); // Dirty, so that dropping alone would do nothing.
    PageCache.drop(file);
    assertFalse(isResident(file));
  }

  private static boolean isResident(Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      return channel.map(FileChannel.MapMode.READ_ONLY, 0, LENGTH).isLoaded();
    }
  }
}
