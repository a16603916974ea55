/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.Fixtures;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

class ScratchPoolTest {

  private final ScratchPool pool = new ScratchPool(Fixtures.backend().calls());

  @Test
  void aBufferComesBackToTheThreadThatGaveIt() {
    NativeBuffer first = pool.take(ScratchPool.BUFFER_SIZE, 1);
    assertEquals(ScratchPool.BUFFER_SIZE, first.size());
    assertEquals(0, first.bytes().alignmentOffset(0, 4096));
    NativeBuffer second = pool.take(ScratchPool.BUFFER_SIZE, 1);
    assertNotSame(first, second);
    pool.give(first);
    assertSame(first, pool.take(ScratchPool.BUFFER_SIZE, 1));
    pool.give(second);
    assertSame(second, pool.take(ScratchPool.BUFFER_SIZE, 1));
  }

  @Test
  void neverRunsOutAndNeverHandsOutABufferTwice() {
    for (int round = 0; round < 3; round++) {
      List<NativeBuffer> taken = new ArrayList<>();
      Set<NativeBuffer> distinct = Collections.newSetFromMap(new IdentityHashMap<>());
      for (int i = 0; i < 100; i++) {
        NativeBuffer buffer = pool.take(ScratchPool.BUFFER_SIZE, 1);
        taken.add(buffer);
        assertTrue(distinct.add(buffer), "handed out twice");
      }
      // They are more than it keeps: the rest is left to the garbage collector.
      taken.forEach(pool::give);
    }
  }

  @Test
  void twoUsersNeverHaveTheSameBuffer() throws Exception {
    Set<NativeBuffer> inUse = ConcurrentHashMap.newKeySet();
    Fixtures.inThreads(
        8,
        thread -> {
          Random random = new Random(Fixtures.SEED + thread);
          Deque<NativeBuffer> mine = new ArrayDeque<>();
          byte[] mark = {(byte) thread, (byte) thread};
          byte[] seen = new byte[2];
          for (int i = 0; i < 20_000; i++) {
            if (mine.size() < 3 && (mine.isEmpty() || random.nextBoolean())) {
              NativeBuffer buffer = pool.take(ScratchPool.BUFFER_SIZE, 1);
              assertTrue(inUse.add(buffer), "two users have one buffer");
              buffer.put(0, mark, 0, 1);
              buffer.put(ScratchPool.BUFFER_SIZE - 1, mark, 1, 1);
              mine.add(buffer);
            } else {
              NativeBuffer buffer = mine.remove();
              buffer.get(0, seen, 0, 1);
              buffer.get(ScratchPool.BUFFER_SIZE - 1, seen, 1, 1);
              assertEquals(thread, seen[0], "somebody else wrote into it");
              assertEquals(thread, seen[1], "somebody else wrote into it");
              assertTrue(inUse.remove(buffer));
              pool.give(buffer);
            }
          }
        });
  }

  @Test
  void whatItKeepsIsBoundedInBytes() {
    for (int count : new int[] {1, ScratchPool.BUFFER_SIZE}) {
      FaultSystemCalls counted = Fixtures.faults();
      ScratchPool counting = new ScratchPool(counted);
      for (int round = 0; round < 3; round++) {
        List<NativeBuffer> taken = new ArrayList<>();
        for (int i = 0; i < 3000; i++) {
          taken.add(counting.take(count, 1));
        }
        taken.forEach(counting::give);
      }
      int size = counting.take(count, 1).size();
      int kept = 3 * 3000 - counted.allocations().size();
      assertTrue(kept >= 2 * 200, "kept too few for 200 readers: " + kept);
      // One thread reaches four of the places; two rounds found what was kept.
      int mostKept = 2 * (ScratchPool.MAX_BYTES / size + 4);
      assertTrue(kept <= mostKept, "kept " + kept + " of " + size + " bytes");
    }
  }

  @Test
  void buffersAreAlignedAsTheirFilesAskForIt() {
    for (int alignment = 1; alignment <= LargeBuffers.ALIGNMENT; alignment *= 2) {
      for (int count : new int[] {1, 4097, 4098, 8191, 8192, 8193, 1 << 20}) {
        NativeBuffer buffer = pool.take(count, alignment);
        assertEquals(0, buffer.bytes().alignmentOffset(0, alignment));
        assertEquals(0, buffer.size() % alignment);
        int last = alignment - 1 + count;
        assertTrue(
            buffer.size() == ScratchPool.BUFFER_SIZE || last <= buffer.size(),
            count + " bytes in two pieces though there is room for one");
        pool.give(buffer);
      }
    }
  }
}
