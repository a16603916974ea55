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

  /** The first run of {@code length} that lies in one chunk; -1 if there is none. */
  private static int firstRun(BitSet model, int slots, int chunkSlots, int length) {
    for (int start = 0; start + length <= slots; start++) {
      if (start / chunkSlots == (start + length - 1) / chunkSlots
          && model.nextClearBit(start) >= start + length) {
        return start;
      }
    }
    return -1;
  }

  @ParameterizedTest
  @CsvSource({
    "1, 2",
    "2, 2",
    "63, 64",
    "64, 64",
    "65, 16",
    "200, 8",
    "200, 64",
    "300, 128",
    "500, 512"
  })
  void behavesLikeASet(int slots, int chunkSlots) {
    Random random = new Random(Fixtures.SEED + slots);
    FreeSlots free = new FreeSlots(slots, chunkSlots);
    BitSet model = new BitSet();
    model.set(0, slots);
    int found = 0;
    for (int step = 0; step < 5000; step++) {
      switch (random.nextInt(step % 1000 < 500 ? 4 : 6)) {
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
        default -> {
          int taken = model.nextClearBit(random.nextInt(slots));
          if (taken < slots) {
            free.give(taken);
            model.set(taken);
          }
        }
      }
      assertEquals(model.cardinality(), free.count());
    }
    assertTrue(found > 10, "runs found: " + found);
  }

  @Test
  void whatIsDrainedNeverComesBack() {
    FreeSlots free = new FreeSlots(20, 8);
    assertEquals(19, free.take());
    assertEquals(8, free.drain(8, 8), "all of the middle");
    assertEquals(3, free.drain(16, 4), "one was taken");
    assertEquals(8, free.count());
    assertEquals(0, free.drain(8, 8), "none is left");
    free.give(19);
    assertEquals(19, free.take());
    assertEquals(-1, free.takeRun(9));
    assertEquals(0, free.takeRun(8));
    assertEquals(-1, free.take());
    assertEquals(0, free.count());
  }

  /** The look for a run is long: after one in vain there must be a reason for another. */
  @Test
  void aRunIsNotLookedForAgainAndAgain() {
    FreeSlots free = new FreeSlots(1024, 1024);
    while (free.take() >= 0) {}
    for (int slot = 0; slot < 512; slot += 2) {
      free.give(slot);
    }
    assertTrue(free.mayHaveRun(2));
    assertEquals(-1, free.takeRun(2));
    assertFalse(free.mayHaveRun(2));
    assertFalse(free.mayHaveRun(100));
    assertTrue(free.mayHaveRun(1));
    assertEquals(0, free.takeRun(1));
    int given = 0;
    for (int slot = 513; !free.mayHaveRun(100); slot++, given++) {
      free.give(slot);
    }
    assertTrue(given >= 16 && given < 32, "after " + given);
    assertEquals(513, free.takeRun(given));
  }

  @Test
  void aSlotIsGivenBackOnce() {
    FreeSlots free = new FreeSlots(4, 4);
    int slot = free.take();
    free.give(slot);
    assertThrows(AssertionError.class, () -> free.give(slot));
  }
}
