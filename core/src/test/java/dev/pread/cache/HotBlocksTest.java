/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.Fixtures;
import dev.pread.cache.CacheFixtures.TestMemory;
import dev.pread.cache.CacheFixtures.TestSource;
import dev.pread.cache.HotBlocks.Note;
import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Which blocks are noted, which of them come back, and to whose cost. */
class HotBlocksTest extends HotBlocksTestCase {

  // ---- there and back ----

  @Test
  void whatAFileHadIsReadAgainWhenItIsOpened() throws IOException {
    CachedFile file = open(cache);
    load(file, 3, 4, 5, 20, BLOCKS - 1);
    assertEquals(set(3, 4, 5, 20, BLOCKS - 1), noted(), "while it is open");
    file.close();
    assertEquals(set(3, 4, 5, 20, BLOCKS - 1), noted(), "when it is closed");
    int before = source.reads.get();
    long misses = cache.counters().sum(Counter.MISSES);
    CachedFile again = openAndRestore();
    has(again, 3, 4, 5, 20, BLOCKS - 1);
    assertEquals(before + 3, source.reads.get(), "neighbours are read together");
    assertEquals(5, cache.counters().sum(Counter.BLOCKS_RESTORED));
    assertEquals(misses, cache.counters().sum(Counter.MISSES));
    again.close();
    CacheCheck.allSlotsCanBeHad(cache);
  }

  @Test
  void anotherCacheReadsWhatThisOneHad() throws IOException {
    CachedFile file = open(cache);
    load(file, 1, 2, 50);
    SlotCache next = cache(32);
    next.files().rememberHotBlocks(Runnable::run).addAll(hot.notes());
    CachedFile again = open(next);
    again.restoreLater(source);
    has(again, 1, 2, 50);
  }

  @Test
  void aNoteIsUsedOnce() throws IOException {
    CachedFile file = open(cache);
    load(file, 7);
    file.close();
    CachedFile again = openAndRestore();
    assertEquals(1, cache.counters().sum(Counter.BLOCKS_RESTORED));
    again.restoreLater(source);
    open(cache).restoreLater(source);
    assertTrue(background.isEmpty());
    assertEquals(set(7), noted(), "it is in the cache, though");
  }

  @Test
  void nothingIsReadOfAFileThatIsNotOpened() {
    known(1, 2);
    CachedFile other = cache.files().open("other", "/index/g", LENGTH, MODIFIED_NANOS);
    other.restoreLater(source);
    work();
    assertEquals(0, source.reads.get());
    assertEquals(set(1, 2), noted());
  }

  @Test
  void anotherFileOfThatNameHasNothingToDoWithIt() {
    BlockRuns runs = BlockRuns.of(set(1, 2));
    for (Note other :
        List.of(
            new Note("/index/f", LENGTH - 1, MODIFIED_NANOS, runs),
            new Note("/index/f", LENGTH, MODIFIED_NANOS + 1, runs),
            note(set(1, BLOCKS)),
            new Note("/index/f", LENGTH, MODIFIED_NANOS, BlockRuns.ofBytes(new byte[] {1, -1})))) {
      hot.addAll(List.of(other));
      openAndRestore().close();
      assertEquals(0, source.reads.get());
      assertEquals(List.of(), hot.notes(), "it is of no use any more");
    }
  }

  @Test
  void aFileThatNobodyCouldKnowAgainIsNotNoted() throws IOException {
    CachedFile file = cache.files().open(null, "/index/f", LENGTH, MODIFIED_NANOS);
    load(file, 1);
    assertEquals(List.of(), hot.notes());
    file.close();
    assertEquals(List.of(), hot.notes());
    known(1);
    cache.files().open(null, "/index/f", LENGTH, MODIFIED_NANOS).restoreLater(source);
    assertTrue(background.isEmpty());
  }

  @Test
  void aDeletedFileIsForgotten() throws IOException {
    CachedFile file = open(cache);
    load(file, 1);
    file.close();
    cache.files().forget("/index/f");
    assertEquals(List.of(), hot.notes());
    cache.files().forget("/index/f");
  }

  /** Readers of a commit that is gone close files whose names nobody will open or delete again. */
  @Test
  void whatIsDeletedWhileItIsOpenIsNotNoted() throws IOException {
    CachedFile file = open(cache);
    load(file, 1);
    assertEquals(set(1), noted());
    cache.files().forget("/index/f");
    assertEquals(List.of(), hot.notes());
    file.close();
    assertEquals(List.of(), hot.notes());
  }

  @Test
  void whatIsDeletedWhileItIsRestoredIsNotNoted() throws IOException {
    known(1, 9);
    CachedFile file = open(cache);
    file.restoreLater(source);
    cache.files().forget("/index/f");
    cache.setShortOfMemory(true);
    background.forEach(Runnable::run);
    assertEquals(List.of(), hot.notes(), "what has been left for later");
    file.close();
    assertEquals(List.of(), hot.notes());
  }

  /** An open that brings nothing in, such as that of a merge, leaves the note to the next. */
  @Test
  void anOpenWithoutReadsLeavesTheNote() throws IOException {
    CachedFile file = open(cache);
    load(file, 1, 9);
    file.close();
    open(cache).close();
    assertEquals(set(1, 9), noted());
  }

  // ---- what is noted ----

  @Test
  void ofAFullCacheTheBlocksAreNotedThatStay() throws IOException {
    CachedFile file = open(cache);
    CacheFixtures.load(file, 0, 31, source);
    assertEquals(31, noted().cardinality(), "as long as there is room");
    load(file, 31);
    assertEquals(List.of(), hot.notes(), "nobody has used one of them again");
    for (int block : new int[] {2, 3, 30}) {
      file.find(block).touch();
      file.find(block).touch();
    }
    assertEquals(set(2, 3, 30), noted());
    // The scan passes through, and what is used moves to the main queue.
    CacheFixtures.load(file, 40, 95, source);
    BitSet kept = noted();
    assertTrue(kept.get(2) && kept.get(3) && kept.get(30), kept::toString);
    assertTrue(EvictionShard.isInMain(file.find(2)));
    assertEquals(0, file.find(2).uses, "it was looked at, and is kept all the same");
  }

  /** A server that stops closes one file after the other: the first ones make room. */
  @Test
  void ofACacheThatWasFullTheBlocksAreNotedThatStay() throws IOException {
    CachedFile first = open(cache);
    CachedFile second = cache.files().open("second", "/index/g", LENGTH, MODIFIED_NANOS);
    CacheFixtures.load(first, 0, 20, source);
    CacheFixtures.load(second, 0, 20, source);
    assertTrue(cache.counters().sum(Counter.EVICTIONS) > 0);
    second.find(19).touch();
    second.find(19).touch();
    first.close();
    second.close();
    List<Note> notes = hot.notes();
    assertEquals(List.of("/index/g"), notes.stream().map(Note::path).toList());
    assertEquals(set(19), notes.get(0).runs().blocks(second.blocks()));
  }

  @Test
  void notesAreBoundedAndTheOldestGo() {
    int each = (int) (HotBlocks.MAX_WEIGHT / 8);
    for (int i = 0; i < 20; i++) {
      hot.addAll(List.of(new Note("/f" + i, 1, 1, BlockRuns.ofBytes(new byte[each]))));
    }
    List<Note> notes = hot.notes();
    assertEquals(7, notes.size());
    assertEquals("/f13", notes.get(0).path());
    assertEquals("/f19", notes.get(6).path());
    // One that is noted again weighs once.
    for (int i = 0; i < 20; i++) {
      hot.addAll(List.of(new Note("/f19", 1, 1, BlockRuns.ofBytes(new byte[each]))));
    }
    assertEquals(7, hot.notes().size());
    for (int i = 0; i < 20; i++) {
      cache.files().forget("/f" + i);
    }
    hot.addAll(List.of(new Note("/last", 1, 1, BlockRuns.ofBytes(new byte[7 * each]))));
    assertEquals(1, hot.notes().size());
    // One that would take the place of all the others is left out.
    byte[] huge = new byte[(int) HotBlocks.MAX_WEIGHT];
    hot.addAll(List.of(new Note("/huge", 1, 1, BlockRuns.ofBytes(huge))));
    assertEquals("/last", hot.notes().get(0).path());
    assertEquals(1, hot.notes().size());
  }

  // ---- at whose cost ----

  @Test
  void nothingIsEvicted() throws IOException {
    known(1, 2, 3, 4, 11, 12, 13, 14);
    List<CachedFile> others = new ArrayList<>();
    for (int i = 0; i < 27; i++) {
      CachedFile other = cache.files().open("o" + i, "/o" + i, 1 << BITS);
      CacheFixtures.load(other, 0, new TestSource(100, 1 << BITS));
      others.add(other);
    }
    CachedFile file = openAndRestore();
    has(file, 1, 2, 3, 4, 11);
    assertEquals(0, cache.counters().sum(Counter.EVICTIONS));
    others.forEach(other -> assertTrue(CacheFixtures.has(other, 0)));
    // The rest is out of date now.
    file.close();
    Note note = hot.notes().stream().filter(n -> n.path().equals("/index/f")).findAny().get();
    assertEquals(set(1, 2, 3, 4, 11), blocks(note));
  }

  /** Slots that wait for blocks nobody wants are room. */
  @Test
  void slotsThatAreKeptForOthersAreTaken() throws IOException {
    CachedFile other = cache.files().open("other", "/other", 32L << BITS);
    TestSource its = new TestSource(100, 32L << BITS);
    for (int block = 0; block < 32; block += 8) {
      CacheFixtures.load(other, block, its);
    }
    assertTrue(other.extent(0).isPending());
    assertEquals(0, cache.freeCount());
    known(1, 2, 60);
    CachedFile file = openAndRestore();
    has(file, 1, 2, 60);
    for (int block = 0; block < 32; block += 8) {
      assertTrue(CacheFixtures.has(other, block));
    }
    assertEquals(0, cache.counters().sum(Counter.EVICTIONS));
  }

  @Test
  void nothingIsReadWhenMemoryIsShort() throws IOException {
    known(1, 60);
    cache.setShortOfMemory(true);
    CachedFile file = openAndRestore();
    assertEquals(0, source.reads.get());
    has(file);
    assertEquals(set(1, 60), noted(), "it may be worth it later");
  }

  @Test
  void memoryThatRunsShortEndsIt() throws IOException {
    known(1, 60);
    source.before = () -> cache.setShortOfMemory(true);
    has(openAndRestore(), 1);
  }

  @Test
  void aReaderThatWasFasterIsNotRepeated() throws IOException {
    known(1, 2, 3, 60);
    CachedFile file = open(cache);
    file.restoreLater(source);
    load(file, 2, 60);
    int before = source.reads.get();
    work();
    has(file, 1, 2, 3, 60);
    assertEquals(before + 2, source.reads.get());
    assertEquals(2, cache.counters().sum(Counter.BLOCKS_RESTORED));
  }

  @Test
  void whatComesBackIsNotNew() throws IOException {
    known(1, 60);
    CachedFile file = openAndRestore();
    assertTrue(EvictionShard.isInMain(file.find(1)));
    CacheFixtures.load(file, 61, 99, source);
    assertTrue(CacheFixtures.has(file, 1) && CacheFixtures.has(file, 60), "a scan passes by");
  }

  @Test
  void aLongRunIsReadInPiecesOfWhatOneReadCanHave() throws IOException {
    SlotCache large = cache(128);
    BitSet all = new BitSet();
    all.set(0, BLOCKS);
    large.files().rememberHotBlocks(Runnable::run).addAll(List.of(note(all)));
    CachedFile file = open(large);
    file.restoreLater(source);
    assertEquals(BLOCKS, large.counters().sum(Counter.BLOCKS_RESTORED));
    CacheFixtures.check(file, 3, BLOCKS - 1);
    assertTrue(source.reads.get() <= (BLOCKS + 7) / 8, "in extents of eight: " + source.reads);
  }

  @Test
  void aSmallFileThatWasThereAsAWholeComesBackInOnePiece() {
    long length = (4L << BITS) - 10;
    BlockRuns whole = BlockRuns.of(set(0, 1, 2, 3));
    hot.addAll(List.of(new Note("/index/small", length, MODIFIED_NANOS, whole)));
    CachedFile file = cache.files().open("small", "/index/small", length, MODIFIED_NANOS);
    file.restoreLater(new TestSource(3, length));
    work();
    assertTrue(file.find(0).isInOnePiece() && file.find(3).isInOnePiece());
  }

  // ---- all at once ----

  /** Restores race with misses, closes, evictions and a cache that shrinks and grows. */
  @Test
  void nothingIsLostOrMixedUpWhateverComesTogether() throws Exception {
    TestMemory memory = new TestMemory(8 << SMALL, Integer.MAX_VALUE);
    SlotCache shared = new SlotCache(64 << SMALL, SMALL, memory);
    ExecutorService threads = Executors.newFixedThreadPool(2);
    HotBlocks its = shared.files().rememberHotBlocks(threads);
    AtomicBoolean isOver = new AtomicBoolean();
    try {
      Fixtures.inThreads(
          4,
          thread -> {
            if (thread == 0) {
              Random random = new Random(Fixtures.SEED);
              for (int i = 0; !isOver.get(); i++) {
                shared.resize((8L + random.nextInt(56)) << SMALL, i % 3 == 0);
                assertNotNull(its.notes());
                Thread.sleep(1);
              }
            } else {
              try {
                openReadAndClose(shared, thread);
              } finally {
                isOver.set(true);
              }
            }
          });
    } finally {
      threads.shutdown();
      assertTrue(threads.awaitTermination(60, TimeUnit.SECONDS));
    }
    assertTrue(shared.counters().sum(Counter.BLOCKS_RESTORED) > 0);
    long ignored = shared.resize(shared.size(), false);
    CacheCheck.allSlotsCanBeHad(shared);
  }

  private static void openReadAndClose(SlotCache cache, int thread) throws IOException {
    Random random = new Random(Fixtures.SEED + thread);
    for (int i = 0; i < 400; i++) {
      int id = random.nextInt(3);
      long length = (40L << SMALL) - id;
      TestSource file = new TestSource(id, length);
      CachedFile blocks = cache.files().open("k" + id, "/index/" + id, length, id);
      blocks.restoreLater(file);
      for (int j = 0; j < 10; j++) {
        int block = random.nextInt(40);
        Slot slot = blocks.load(block, 1 + random.nextInt(3), file);
        byte[] bytes = new byte[50];
        int copied = slot == null ? 0 : blocks.copy((long) block << SMALL, bytes, 0, 50);
        for (int k = 0; k < copied; k++) {
          assertEquals(CacheFixtures.byteOf(id, ((long) block << SMALL) + k), bytes[k]);
        }
      }
      blocks.close();
    }
  }
}
