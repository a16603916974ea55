/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.cache.CacheFixtures.TestMemory;
import dev.pread.posix.ReadableFile;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Blocks that are loaded with one that a reader wants, in a cache that is full. */
class FillTogetherTest {

  private static final int BITS = 12;
  private static final int SLOTS = 200;
  private static final int BLOCKS = 1000;

  private int reads;
  private final ReadableFile source = CacheFixtures.file((position, length, memory) -> reads++);

  private final SlotCache cache =
      new SlotCache((long) SLOTS << BITS, BITS, new TestMemory(1 << 20, Integer.MAX_VALUE));

  private CachedFile file;

  @BeforeEach
  void fill() throws IOException {
    file = cache.files().open(null, "f", (long) BLOCKS << BITS);
    CacheFixtures.load(file, BLOCKS - SLOTS, BLOCKS, source);
    reads = 0;
  }

  @AfterEach
  void close() {
    cache.close();
  }

  private boolean isReadAhead(int block) {
    return file.find(block).isReadAhead;
  }

  @Test
  void theyComeInOneReadAndOnlyWhatIsWantedCountsAsRead() throws IOException {
    assertEquals(0, file.load(0, 2, 6, source).block);
    assertEquals(1, reads);
    for (int block = 0; block < 6; block++) {
      assertTrue(CacheFixtures.has(file, block), "block " + block);
      assertEquals(block >= 2, isReadAhead(block), "block " + block);
    }
    assertNull(file.find(6));
  }

  @Test
  void whatTheReaderWantsIsLoadedInAnyCase() throws IOException {
    assertEquals(0, file.load(0, 3, 1, source).block);
    assertTrue(CacheFixtures.has(file, 2));
    assertFalse(isReadAhead(2));
    assertNull(file.find(3));
  }

  /** The reader of the one does not suffer, and no slot is lost. */
  @Test
  void whatCanNotBeReadLeavesTheWantedBlockAlone() throws IOException {
    ReadableFile bad =
        CacheFixtures.file(
            (position, length, memory) -> {
              if (position + length > 3 << BITS) {
                throw new IOException("bad");
              }
            });
    assertEquals(0, file.load(0, 1, 8, bad).block);
    assertEquals(2, file.load(2, 1, 1, bad).block);
    assertNull(file.find(1));
    assertNull(file.find(3));
    assertThrows(IOException.class, () -> file.load(3, 1, 8, bad));
    assertNull(file.find(3));
    // All of them can be had again.
    CacheFixtures.load(file, 100, 100 + SLOTS, source);
    for (int block = 100; block < 100 + SLOTS; block++) {
      assertTrue(CacheFixtures.has(file, block), "block " + block);
    }
  }

  /** All blocks are used, and the small queue has its tenth. */
  @Test
  void theyPushOutNothingThatIsUsed() throws IOException {
    for (int round = 0; round < 3; round++) {
      for (int block = BLOCKS - SLOTS; block < BLOCKS; block++) {
        if (file.find(block) != null) {
          file.find(block).touch();
          file.find(block).touch();
        }
      }
      // These leave what is used in the main queue.
      CacheFixtures.load(file, round, source);
    }
    int used = used();
    for (int block = 100; block < 700; block += 40) {
      assertEquals(block, file.load(block, 1, 40, source).block);
    }
    assertTrue(used() >= used - SLOTS / 10, used() + " of " + used);
  }

  private int used() {
    int used = 0;
    for (int block = BLOCKS - SLOTS; block < BLOCKS; block++) {
      used += file.find(block) != null ? 1 : 0;
    }
    return used;
  }
}
