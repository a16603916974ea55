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

  private final ScratchPool pool = new ScratchPool(Fixtures.backend().posix());

  @Test
  void aBufferComesBackToTheThreadThatGaveIt() {
    NativeBuffer first = pool.take();
    assertEquals(ScratchPool.BUFFER_SIZE, first.size());
    assertEquals(0, first.bytes().alignmentOffset(0, 4096));
    NativeBuffer second = pool.take();
    assertNotSame(first, second);
    pool.give(first);
    assertSame(first, pool.take());
    pool.give(second);
    assertSame(second, pool.take());
  }

  @Test
  void neverRunsOutAndNeverHandsOutABufferTwice() {
    for (int round = 0; round < 3; round++) {
      List<NativeBuffer> taken = new ArrayList<>();
      Set<NativeBuffer> distinct = Collections.newSetFromMap(new IdentityHashMap<>());
      for (int i = 0; i < 100; i++) {
        NativeBuffer buffer = pool.take();
        taken.add(buffer);
        assertTrue(distinct.add(buffer), "handed out twice");
      }
      // More than it keeps: the rest is left to the garbage collector.
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
              NativeBuffer buffer = pool.take();
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
}
