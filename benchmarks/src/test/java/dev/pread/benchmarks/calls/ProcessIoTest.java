/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.calls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the kernel says, whole and damaged, and what it counts. */
class ProcessIoTest {
  private static final String CAPTURED =
      """
      rchar: 3980
      wchar: 1048
      syscr: 8
      syscw: 13
      read_bytes: 4096
      write_bytes: 0
      cancelled_write_bytes: 0
      """;

  @TempDir private Path temp;

  @Test
  void takesTheFiguresOut() {
    assertEquals(Optional.of(new ProcessIo(13, 1048)), ProcessIo.parse(CAPTURED));
  }

  @Test
  void damagedTextSaysNothing() {
    assertEquals(Optional.empty(), ProcessIo.parse(""));
    assertEquals(Optional.empty(), ProcessIo.parse(CAPTURED.replace("syscw", "other")));
    assertEquals(Optional.empty(), ProcessIo.parse(CAPTURED.replace("13", "many")));
    assertEquals(Optional.empty(), ProcessIo.parse(CAPTURED.replace("1048", "-1")));
    assertEquals(Optional.empty(), ProcessIo.parse(CAPTURED.replace("13", "9".repeat(30))));
    assertEquals(
        Optional.empty(), ProcessIo.parse(CAPTURED.substring(0, CAPTURED.indexOf("syscw") + 6)));
  }

  @Test
  void kernelCountsEveryWrite() throws Exception {
    assumeTrue(ProcessIo.read().isPresent(), "needs /proc/self/io");
    ProcessIo before = ProcessIo.read().orElseThrow();
    try (FileChannel channel =
        FileChannel.open(
            temp.resolve("file"), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      for (int i = 0; i < 1000; i++) {
        channel.write(ByteBuffer.wrap(new byte[100]), i * 100L);
      }
    }
    ProcessIo counted = ProcessIo.read().orElseThrow().minus(before);
    assertTrue(counted.writeCalls() >= 1000, counted.toString());
    assertTrue(counted.writtenBytes() >= 100_000, counted.toString());
    assertTrue(counted.writeCalls() < 2000, "others in this process: " + counted);
  }
}
