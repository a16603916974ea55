/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.lucene.util.IOUtils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Counters of the device under a folder. */
class BlockDeviceTest {
  private static final BlockDevice.Traffic UNKNOWN = new BlockDevice.Traffic(-1, -1);

  @TempDir private Path temp;

  @Test
  void sectorsOfARealLine() {
    // Linux 6.18; 17 counters, of which Linux 4.17 and older have 11.
    String line =
        "88033723    58583 3280093461 10707659  9070854   643442 114281200   841573        0"
            + "  2562328 12047614  1512405       61 92279400   137564  5435991   360816\n";
    BlockDevice.Traffic expected =
        new BlockDevice.Traffic(512L * 3_280_093_461L, 512L * 114_281_200L);
    assertEquals(expected, BlockDevice.parse(line));
    String old = line.substring(0, line.indexOf("12047614") + 8);
    assertEquals(expected, BlockDevice.parse(old));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "1 2 3", "a b c d e f g h", "1 2 x 4 5 6 7 8"})
  void damagedLineIsUnknown(String line) {
    assertEquals(UNKNOWN, BlockDevice.parse(line));
  }

  @Test
  void differenceOfTheUnknownIsUnknown() {
    BlockDevice.Traffic now = new BlockDevice.Traffic(10, 20);
    assertEquals(new BlockDevice.Traffic(9, 18), now.since(new BlockDevice.Traffic(1, 2)));
    assertEquals(UNKNOWN, now.since(UNKNOWN));
    assertEquals(UNKNOWN, UNKNOWN.since(now));
  }

  @Test
  void whatIsWrittenIsCountedWhereThereIsADevice() throws Exception {
    Machines.assumeLinuxOnDisk(temp);
    BlockDevice device = BlockDevice.under(temp);
    BlockDevice.Traffic before = device.traffic();
    assumeTrue(before.written() >= 0, "no block device under " + temp);
    long process = ProcessFigures.io("write_bytes");
    Path file = temp.resolve("file");
    int length = 4 << 20;
    Files.write(file, new byte[length]);
    IOUtils.fsync(file, false);
    BlockDevice.Traffic traffic = device.traffic().since(before);
    assertTrue(traffic.written() >= length, traffic.toString());
    assertTrue(ProcessFigures.io("write_bytes") - process >= length);
    assertEquals(-1, ProcessFigures.io("no_such_counter"));
    assertEquals(UNKNOWN, BlockDevice.under(Path.of("/proc")).traffic());
    assertEquals(UNKNOWN, BlockDevice.under(temp.resolve("absent")).traffic());
  }
}
