/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pread.cache.CacheFixtures.TestMemory;
import dev.pread.cache.CacheFixtures.TestSource;
import dev.pread.cache.HotBlocks.Note;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.List;
import org.junit.jupiter.api.Timeout;

/**
 * A cache that remembers which blocks it has, and reads some in the background when a test says so.
 */
@Timeout(120)
abstract class HotBlocksTestCase {

  /** Blocks so large that a miss reads none around itself. */
  static final int BITS = 17;

  /** Blocks that come and go quickly. */
  static final int SMALL = 10;

  static final int BLOCKS = 100;
  static final long LENGTH = ((long) BLOCKS << BITS) - 10;
  static final long MODIFIED_NANOS = 4711;

  /** What is to be done in the background, which tests do when they want it done. */
  final ArrayDeque<Runnable> background = new ArrayDeque<>();

  final SlotCache cache = cache(32);
  final HotBlocks hot = cache.files().rememberHotBlocks(background::add);
  final TestSource source = new TestSource(3, LENGTH);

  static SlotCache cache(int slots) {
    return new SlotCache((long) slots << BITS, BITS, new TestMemory(8 << BITS, Integer.MAX_VALUE));
  }

  static CachedFile open(SlotCache cache) {
    return cache.files().open("key", "/index/f", LENGTH, MODIFIED_NANOS);
  }

  /** Opens the file as a reader does, and does what is then done in the background. */
  CachedFile openAndRestore() {
    CachedFile file = open(cache);
    file.restoreLater(source);
    work();
    return file;
  }

  void work() {
    while (!background.isEmpty()) {
      background.poll().run();
    }
  }

  void load(CachedFile file, int... blocks) throws IOException {
    for (int block : blocks) {
      CacheFixtures.load(file, block, source);
    }
  }

  static void has(CachedFile file, int... blocks) {
    BitSet expected = new BitSet();
    for (int block : blocks) {
      expected.set(block);
      byte[] bytes = new byte[file.bytesIn(block)];
      long position = (long) block << BITS;
      assertEquals(bytes.length, file.copy(position, bytes, 0, bytes.length), "block " + block);
      for (int i = 0; i < bytes.length; i++) {
        assertEquals(CacheFixtures.byteOf(3, position + i), bytes[i], "block " + block);
      }
    }
    BitSet there = new BitSet();
    for (int block = 0; block < BLOCKS; block++) {
      there.set(block, CacheFixtures.has(file, block));
    }
    assertEquals(expected, there);
  }

  static BitSet blocks(Note note) {
    return note.runs().blocks(BLOCKS);
  }

  BitSet noted() {
    List<Note> notes = hot.notes();
    assertEquals(1, notes.size(), notes.toString());
    assertEquals("/index/f", notes.get(0).path());
    assertEquals(LENGTH, notes.get(0).length());
    assertEquals(MODIFIED_NANOS, notes.get(0).modifiedNanos());
    return blocks(notes.get(0));
  }

  static BitSet set(int... blocks) {
    BitSet set = new BitSet();
    for (int block : blocks) {
      set.set(block);
    }
    return set;
  }

  static Note note(BitSet blocks) {
    return new Note("/index/f", LENGTH, MODIFIED_NANOS, BlockRuns.of(blocks));
  }

  /** Has the cache know that the file had these blocks. */
  void known(int... blocks) {
    hot.addAll(List.of(note(set(blocks))));
  }
}
