/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Pinning and putting back, over an ordinary file; for real in {@code InterruptedRunTest}. */
class ReadAheadTest {
  @TempDir private Path temp;

  @Test
  void pinnedAndPutBack() throws Exception {
    Path setting = Files.writeString(temp.resolve("read_ahead_kb"), "8192\n");
    try (ReadAhead pinned = ReadAhead.pinSetting(setting, 128)) {
      assertEquals(8192, pinned.before());
      assertEquals("128", Files.readString(setting));
    }
    assertEquals("8192", Files.readString(setting));
  }

  @Test
  void settingIsThatOfTheWholeDisk() throws Exception {
    Machines.assumeLinuxOnDisk(temp);
    UnavailableException e =
        assertThrows(UnavailableException.class, () -> ReadAhead.setting(temp, temp));
    assertTrue(e.getMessage().contains(temp.toString()), e.getMessage());
    long device = ((Number) Files.getAttribute(temp, "unix:dev")).longValue();
    long major = (device >>> 8) & 0xfff;
    long minor = (device & 0xff) | ((device >>> 12) & 0xfff00);
    Path disk = Files.createDirectories(temp.resolve("devices/disk"));
    Files.createDirectories(disk.resolve("queue"));
    Path expected = Files.writeString(disk.resolve("queue/read_ahead_kb"), "128");
    Path partition = Files.createDirectory(disk.resolve("part1"));
    Files.writeString(partition.resolve("partition"), "1");
    Path nodes = Files.createDirectories(temp.resolve("dev/block"));
    Files.createSymbolicLink(nodes.resolve(major + ":" + minor), partition);
    assertEquals(expected.toRealPath(), ReadAhead.setting(temp, temp));
  }
}
