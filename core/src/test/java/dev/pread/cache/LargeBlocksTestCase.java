/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import dev.pread.cache.CacheFixtures.TestMemory;
import dev.pread.cache.CacheFixtures.TestSource;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** A cache of a few blocks in one chunk of memory, and files that fill it. */
abstract class LargeBlocksTestCase {

  /** Blocks so large that a miss reads none around itself. */
  static final int BITS = 17;

  static final int BLOCK = 1 << BITS;

  final TestMemory memory;
  SlotCache cache;

  /** Files of one block, each with a number from 101 on. */
  final List<CachedFile> singles = new ArrayList<>();

  LargeBlocksTestCase(int slots, int pageSlots) {
    memory = new TestMemory(slots << BITS, pageSlots << BITS, Integer.MAX_VALUE);
    cache = new SlotCache((long) slots << BITS, BITS, memory);
  }

  CachedFile open(int blocks) {
    return cache.files().open(null, "f", (long) blocks << BITS);
  }

  static TestSource source(int id, int blocks) {
    return new TestSource(id, (long) blocks << BITS);
  }

  /** Takes so many slots, each for a file of its own. */
  void take(int slots) throws IOException {
    for (int i = 0; i < slots; i++) {
      CachedFile single = open(1);
      singles.add(single);
      CacheFixtures.load(single, 0, source(100 + singles.size(), 1));
    }
  }
}
