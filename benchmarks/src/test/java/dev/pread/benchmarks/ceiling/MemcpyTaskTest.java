/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.ceiling;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.benchmarks.load.DataPattern;
import dev.pread.benchmarks.load.WrongBytesException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Copies are of the right bytes, from everywhere in the region, and counted. */
class MemcpyTaskTest {
  private static final int REGION = 1 << 20;

  private static ByteBuffer region() {
    ByteBuffer region = ByteBuffer.allocateDirect(REGION).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < REGION; i += Long.BYTES) {
      region.putLong(i, DataPattern.word(i));
    }
    return region;
  }

  @Test
  void copiesWholeBlocksFromEverywhere() {
    ByteBuffer region = region();
    byte[] array = new byte[4096];
    MemcpyTask.Copier copier = new MemcpyTask.Copier(region, array, 7);
    Set<Integer> offsets = new HashSet<>();
    byte[] expected = new byte[array.length];
    for (int i = 0; i < 4096; i++) {
      int offset = copier.copyNext();
      offsets.add(offset);
      region.get(offset, expected);
      assertArrayEquals(expected, array);
    }
    assertEquals(REGION / array.length, offsets.size(), "every block is copied some time");
  }

  @Test
  void wrongBytesAreSeen() throws Exception {
    ByteBuffer region = region();
    MemcpyTask.Copier copier = new MemcpyTask.Copier(region, new byte[4096], 7);
    assertTrue(copier.run(0, 1) > 0);
    region.put(4096 * 3, (byte) (region.get(4096 * 3) + 1));
    assertThrows(
        WrongBytesException.class,
        () -> {
          for (int i = 0; i < 100; i++) {
            copier.run(0, 1);
          }
        });
  }

  @Test
  void everySlotIsMeasured() throws Exception {
    MemcpyTask.Result result =
        new MemcpyTask(4 << 20, List.of(4096, 16384), List.of(1, 2), 0.01, 0.02).run();
    assertEquals(4, result.slots().size());
    for (MemcpyTask.Slot slot : result.slots()) {
      assertTrue(slot.copiesPerMs() > 1, slot.toString());
    }
  }
}
