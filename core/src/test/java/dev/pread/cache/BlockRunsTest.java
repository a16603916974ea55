/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.Fixtures;
import java.util.BitSet;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Sets of blocks as bytes. */
class BlockRunsTest {

  private static BitSet set(int... fromTo) {
    BitSet set = new BitSet();
    for (int i = 0; i < fromTo.length; i += 2) {
      set.set(fromTo[i], fromTo[i + 1]);
    }
    return set;
  }

  @Test
  void aWholeFileTakesAFewBytes() {
    assertArrayEquals(new byte[] {0, 5}, BlockRuns.of(set(0, 5)).toBytes());
    assertArrayEquals(new byte[] {3, 1, 2, 127}, BlockRuns.of(set(3, 4, 6, 133)).toBytes());
    assertArrayEquals(new byte[] {(byte) 0x80, 1, 1}, BlockRuns.of(set(128, 129)).toBytes());
    assertEquals(0, BlockRuns.of(new BitSet()).size());
    assertTrue(BlockRuns.of(set(0, 1 << 26)).size() <= 6);
  }

  @Test
  void whatIsWrittenIsRead() {
    Random random = new Random(Fixtures.SEED);
    for (int i = 0; i < 300; i++) {
      int blocks = 1 + random.nextInt(2000);
      int dense = 1 + random.nextInt(100);
      BitSet set = new BitSet();
      for (int block = 0; block < blocks; block++) {
        set.set(block, random.nextInt(100) < dense);
      }
      byte[] bytes = BlockRuns.of(set).toBytes();
      assertEquals(set, BlockRuns.ofBytes(bytes).blocks(blocks));
      int last = set.length();
      if (last > 0) {
        assertNull(
            BlockRuns.ofBytes(bytes).blocks(last - 1), "a block that the file does not have");
      }
    }
    BitSet large = set(0, 1, (1 << 26) - 3, 1 << 26);
    assertEquals(large, BlockRuns.of(large).blocks(1 << 26));
  }

  @Test
  void whatIsNoSetIsNone() {
    assertNull(BlockRuns.ofBytes(new byte[] {1, -1}).blocks(1000), "it ends within a number");
    assertNull(BlockRuns.ofBytes(new byte[] {-1, -1, -1, -1, -1, -1, 1}).blocks(1000), "too long");
    assertNull(BlockRuns.ofBytes(new byte[] {0, -1, -1, -1, -1, 127}).blocks(1 << 26), "too large");
    byte[] bytes = new byte[40];
    Random random = new Random(Fixtures.SEED);
    for (int i = 0; i < 10_000; i++) {
      random.nextBytes(bytes);
      BitSet set = BlockRuns.ofBytes(bytes).blocks(500);
      assertTrue(set == null || set.length() <= 500);
    }
  }
}
