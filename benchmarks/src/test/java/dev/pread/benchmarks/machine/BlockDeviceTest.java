/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Counters of the device under a folder. */
class BlockDeviceTest {
  @TempDir private Path temp;

  @Test
  void sectorsOfARealLine() throws Exception {
    // Linux 6.18.
    String line =
        "88033723    58583 3280093461 10707659  9070854   643442 114281200   841573        0"
            + "  2562328 12047614  1512405       61 92279400   137564  5435991   360816\n";
    BlockDevice device = new BlockDevice(Files.writeString(temp.resolve("stat"), line));
    assertEquals(512L * 3_280_093_461L, device.bytesRead());
    assertEquals(512L * 114_281_200L, device.bytesWritten());
    Files.writeString(temp.resolve("stat"), "1 2 x 4 5 6 7 8");
    assertEquals(-1, device.bytesRead());
    assertEquals(-1, device.bytesWritten());
  }
}
