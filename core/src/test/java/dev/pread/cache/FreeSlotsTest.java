/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.Fixtures;
import java.util.BitSet;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FreeSlotsTest {

  /** Returns the first run of {@code length} that lies in one chunk; -1 if there is none. */
  private static int firstRun(BitSet model, int slots, int chunkSlots, int length) {
    for (int start = 0; start + length <= slots; start++) {
      if (start / chunkSlots == (start + length - 1) / chunkSlots
          && model.nextClearBit(start) >= start + length) {
        return start;
      }
    }
    return -1;
  }

  /** Frees the slots of a page, and closes it. */
  private static void close(FreeSlots free, int page) {
    assertFalse(free.give(4 * page, free.end(page)));
    assertTrue(free.leave(page));
    free.left(page);
  }

  /** Room was made for a file in a page above all others that had free slots. */
  @Test
  void whatIsLeftOfAPageOfWhichCertainSlotsWereTakenCanBeHad() {
    FreeSlots free = new FreeSlots(16, 16, 4);
    for (int slot = 15; slot >= 0; slot--) {
      assertEquals(slot, free.take());
    }
    close(free, 3);
    free.limit(3);
    assertFalse(free.give(0, 1));
    assertEquals(0, free.take(), "no page above it has a free slot");
    close(free, 1);
    assertTrue(free.take(12));
    assertEquals(3, free.count());
    for (int slot = 15; slot > 12; slot--) {
      assertEquals(slot, free.take());
    }
    assertEquals(0, free.count());
  }

  @ParameterizedTest
  @CsvSource({
    "1, 2, 1",
    "2, 2, 2",
    "63, 64, 64",
    "64, 64, 8",
    "65, 16, 16",
    "200, 8, 1",
    "200, 64, 16",
    "300, 128, 128",
    "500, 512, 64"
  })
  void behavesLikeASet(int slots, int chunkSlots, int pageSlots) {
    Random random = new Random(Fixtures.SEED + slots);
    FreeSlots free = new FreeSlots(slots, chunkSlots, pageSlots);
    BitSet model = new BitSet();
    model.set(0, slots);
    int found = 0;
    for (int step = 0; step < 5000; step++) {
      switch (random.nextInt(step % 1000 < 500 ? 5 : 7)) {
        case 0 -> {
          int expected = model.length() - 1;
          assertEquals(expected, free.take());
          if (expected >= 0) {
            model.clear(expected);
          }
        }
        case 1 -> {
          int length = 1 + random.nextInt(Math.min(slots, chunkSlots) + 1);
          int first = firstRun(model, slots, chunkSlots, length);
          int expected = free.mayHaveRun(length) ? first : -1;
          found += expected >= 0 ? 1 : 0;
          assertEquals(expected, free.takeRun(length), "run of " + length + " in " + model);
          if (expected >= 0) {
            model.clear(expected, expected + length);
          }
        }
        case 2 -> {
          int slot = random.nextInt(slots);
          assertEquals(model.get(slot), free.take(slot), "slot " + slot);
          model.clear(slot);
        }
        default -> {
          int taken = model.nextClearBit(random.nextInt(slots));
          if (taken < slots) {
            free.give(taken, taken + 1);
            model.set(taken);
          }
        }
      }
      assertEquals(model.cardinality(), free.count());
    }
    assertTrue(found > 10, "runs found: " + found);
  }

  /** Every slot that is had or free is in one place, whatever pages do. */
  @ParameterizedTest
  @CsvSource({"64, 64, 8", "100, 32, 4", "200, 64, 16", "256, 256, 32"})
  void pagesComeAndGo(int slots, int chunkSlots, int pageSlots) {
    Random random = new Random(Fixtures.SEED + slots);
    FreeSlots free = new FreeSlots(slots, chunkSlots, pageSlots);
    BitSet had = new BitSet();
    BitSet leaving = new BitSet();
    int limit = free.pages();
    int gone = 0;
    for (int step = 0; step < 20_000; step++) {
      int any = had.nextSetBit(random.nextInt(slots));
      switch (random.nextInt(7)) {
        case 0, 1 -> {
          int slot = free.take();
          if (slot >= 0) {
            assertFalse(had.get(slot), "given out twice");
            assertFalse(leaving.get(slot / pageSlots), "of a page that is leaving");
            had.set(slot);
          }
        }
        case 2 -> {
          int length = 1 + random.nextInt(chunkSlots);
          int first = free.takeRun(length);
          if (first >= 0) {
            assertEquals(first / chunkSlots, (first + length - 1) / chunkSlots);
            for (int slot = first; slot < first + length; slot++) {
              assertFalse(had.get(slot), "given out twice");
              assertFalse(leaving.get(slot / pageSlots), "of a page that is leaving");
              had.set(slot);
            }
          }
        }
        case 3, 4 -> {
          for (int i = 0; i < 3 && any >= 0; i++, any = had.nextSetBit(any)) {
            int page = any / pageSlots;
            int endOfRun = Math.min(had.nextClearBit(any), (page + 1) * pageSlots);
            int end = Math.min(endOfRun, any + 1 + random.nextInt(4));
            had.clear(any, end);
            boolean isLast = leaving.get(page) && isEmpty(had, free, page, pageSlots);
            assertEquals(isLast, free.give(any, end));
            if (isLast) {
              free.left(page);
              leaving.clear(page);
              gone++;
            }
          }
        }
        case 5 -> {
          limit = random.nextInt(free.pages() + 1);
          free.limit(limit);
        }
        default -> {
          int page = random.nextInt(free.pages());
          if (free.isOpen(page)) {
            if (free.leave(page)) {
              assertTrue(isEmpty(had, free, page, pageSlots));
              free.left(page);
              gone++;
            } else {
              leaving.set(page);
            }
          } else if (leaving.get(page) && limit > 0 && random.nextBoolean()) {
            assertTrue(free.stay(page));
            leaving.clear(page);
          }
        }
      }
      BitSet usedPages = new BitSet();
      had.stream().forEach(slot -> usedPages.set(slot / pageSlots));
      assertTrue(free.inUse() >= usedPages.cardinality());
      assertEquals(Math.max(0, free.inUse() - leaving.cardinality() - limit), free.excess());
    }
    assertTrue(gone > 100, "pages gone: " + gone);
    free.limit(free.pages());
    leaving.stream().forEach(free::stay);
    assertEquals(slots - had.cardinality(), free.count());
    for (int left = free.count(); left > 0; left--) {
      had.set(free.take());
    }
    assertEquals(slots, had.cardinality());
  }

  private static boolean isEmpty(BitSet had, FreeSlots free, int page, int pageSlots) {
    int next = had.nextSetBit(page * pageSlots);
    return next < 0 || next >= free.end(page);
  }

  /** No more pages than the limit ever have memory. */
  @Test
  void pagesAreOpenedWithinTheLimit() {
    FreeSlots free = new FreeSlots(64, 64, 8);
    free.limit(3);
    assertEquals(24, free.count());
    assertEquals(-1, free.takeRun(25));
    assertEquals(0, free.takeRun(20));
    assertEquals(4, free.count());
    for (int i = 23; i >= 20; i--) {
      assertEquals(i, free.take());
    }
    assertEquals(-1, free.take());
    assertEquals(3, free.inUse());
    free.limit(4);
    assertEquals(63, free.take(), "single ones come from the top");
    assertEquals(7, free.count());
  }

  /** Where the system has no memory for a chunk, its slots are neither free nor had. */
  @Test
  void whatIsLostNeverComesBack() {
    FreeSlots free = new FreeSlots(20, 8, 4);
    assertEquals(19, free.take());
    free.lose(1);
    assertEquals(11, free.count());
    free.lose(2);
    assertEquals(8, free.count());
    assertFalse(free.give(19, 20));
    assertEquals(8, free.count());
    assertEquals(0, free.takeRun(8));
    assertEquals(-1, free.take());
    assertEquals(0, free.count());
  }

  /**
   * One thread is about to give the memory of a page back when another hears that there is none.
   */
  @Test
  void aPageThatIsLostWhileItLeavesCountsOnce() {
    FreeSlots free = new FreeSlots(16, 8, 4);
    int slot = free.take();
    assertEquals(0, free.takeRun(1));
    assertFalse(free.leave(slot / 4));
    assertTrue(free.give(slot, slot + 1));
    free.lose(1);
    int count = free.count();
    free.left(slot / 4);
    assertEquals(count, free.count());
    assertEquals(1, free.inUse());
    free.limit(0);
    assertEquals(1, free.excess());
    assertFalse(free.isClosed(slot / 4), "it can't be had again");
  }

  /** The look for a run is long: after one in vain there must be a reason for another. */
  @Test
  void aRunIsNotLookedForAgainAndAgain() {
    FreeSlots free = new FreeSlots(1024, 1024, 128);
    while (free.take() >= 0) {}
    for (int slot = 0; slot < 512; slot += 2) {
      free.give(slot, slot + 1);
    }
    assertTrue(free.mayHaveRun(2));
    assertEquals(-1, free.takeRun(2));
    assertFalse(free.mayHaveRun(2));
    assertFalse(free.mayHaveRun(100));
    assertTrue(free.mayHaveRun(1));
    assertEquals(0, free.takeRun(1));
    int given = 0;
    for (int slot = 513; !free.mayHaveRun(100); slot++, given++) {
      free.give(slot, slot + 1);
    }
    assertTrue(given >= 16 && given < 32, "after " + given);
    assertEquals(513, free.takeRun(given));
  }

  /** A page with memory leaves when none of its slots has been had from one search to the next. */
  @Test
  void pagesLeaveThatNobodyUses() {
    FreeSlots free = new FreeSlots(32, 32, 8);
    assertEquals(0, free.takeRun(32));
    for (int slot : new int[] {0, 8, 16}) {
      assertTrue(free.used(slot));
    }
    free.give(0, 8);
    free.give(8, 15);
    free.give(16, 24);
    free.give(24, 32);
    assertEquals(-1, free.leaveIdle(0), "it may have been free for a moment");
    assertTrue(free.take(16));
    free.give(16, 17);
    assertEquals(0, free.leaveIdle(0));
    assertEquals(
        -1, free.leaveIdle(1), "the others have a slot in use, had one, and have no memory");
    assertEquals(23, free.count());
    assertEquals(8, free.takeRun(7), "what leaves is nobody's");
    free.left(0);
    assertEquals(2, free.backed());
    assertEquals(0, free.takeRun(8), "it may come again");
    free.used(0);
    free.give(0, 8);
    assertEquals(2, free.leaveIdle(0), "of the first the time begins anew");
    assertEquals(0, free.leaveIdle(0));
    for (int i = 0; i < 2; i++) {
      assertEquals(-1, free.leaveIdle(0), "both are leaving already");
    }
  }

  @Test
  void aSlotIsGivenBackOnce() {
    FreeSlots free = new FreeSlots(4, 4, 4);
    int slot = free.take();
    free.give(slot, slot + 1);
    assertThrows(AssertionError.class, () -> free.give(slot, slot + 1));
  }

  /** What is free of a page that leaves is nobody's, and the last of it gives the page back. */
  @Test
  void aRunIsGivenBackToWhatItsPageIs() {
    FreeSlots free = new FreeSlots(16, 16, 8);
    assertEquals(0, free.takeRun(16));
    assertFalse(free.give(2, 8));
    assertEquals(6, free.count());
    assertFalse(free.leave(1));
    assertFalse(free.give(8, 15));
    assertEquals(6, free.count());
    assertTrue(free.give(15, 16));
    assertEquals(2, free.takeRun(6));
    assertEquals(-1, free.take());
    free.left(1);
    assertEquals(8, free.takeRun(8));
    assertFalse(free.give(0, 1));
    assertThrows(AssertionError.class, () -> free.give(0, 8), "one of them is free");
  }
}
