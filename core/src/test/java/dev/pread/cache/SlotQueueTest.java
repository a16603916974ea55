/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.Fixtures;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SlotQueueTest {

  @Test
  void behavesLikeAList() {
    Random random = new Random(Fixtures.SEED);
    SlotQueue queue = new SlotQueue((byte) 1);
    List<Slot> model = new ArrayList<>();
    List<Slot> outside = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      outside.add(new Slot(i));
    }
    for (int step = 0; step < 20_000; step++) {
      switch (random.nextInt(3)) {
        case 0 -> {
          if (!outside.isEmpty()) {
            Slot slot = outside.remove(random.nextInt(outside.size()));
            queue.add(slot);
            model.add(slot);
          }
        }
        case 1 -> {
          Slot slot = queue.poll();
          assertSame(model.isEmpty() ? null : model.remove(0), slot);
          if (slot != null) {
            outside.add(slot);
          }
        }
        default -> {
          if (!model.isEmpty()) {
            Slot slot = model.remove(random.nextInt(model.size()));
            queue.remove(slot);
            outside.add(slot);
          }
        }
      }
      assertEquals(model.size(), queue.size());
      for (Slot slot : model) {
        assertTrue(queue.contains(slot));
      }
      for (Slot slot : outside) {
        assertFalse(queue.contains(slot));
        assertNull(slot.before);
        assertNull(slot.after);
      }
    }
  }

  @Test
  void aSlotIsInOneQueueAtATime() {
    SlotQueue first = new SlotQueue((byte) 1);
    SlotQueue second = new SlotQueue((byte) 2);
    Slot slot = new Slot(0);
    first.add(slot);
    assertFalse(second.contains(slot));
    assertThrows(AssertionError.class, () -> second.add(slot));
    assertThrows(AssertionError.class, () -> second.remove(slot));
  }
}
