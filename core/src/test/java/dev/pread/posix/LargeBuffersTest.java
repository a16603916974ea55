/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.Fixtures;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class LargeBuffersTest {

  private final SystemCalls calls = Fixtures.backend().calls();

  private static List<NativeBuffer> takeAll(LargeBuffers buffers) {
    List<NativeBuffer> taken = new ArrayList<>();
    for (NativeBuffer buffer = buffers.take(); buffer != null; buffer = buffers.take()) {
      taken.add(buffer);
    }
    return taken;
  }

  @Test
  void eachIsMemoryOfItsOwn() {
    LargeBuffers buffers = new LargeBuffers(calls);
    List<NativeBuffer> taken = takeAll(buffers);
    assertEquals(LargeBuffers.MAX_BUFFERS, taken.size());
    for (int i = 0; i < taken.size(); i++) {
      NativeBuffer buffer = taken.get(i);
      assertEquals(LargeBuffers.BUFFER_SIZE, buffer.size());
      assertEquals(0, buffer.bytes().alignmentOffset(0, LargeBuffers.ALIGNMENT));
      buffer.bytes().putInt(0, i).putInt(LargeBuffers.BUFFER_SIZE - Integer.BYTES, i);
    }
    for (int i = 0; i < taken.size(); i++) {
      assertEquals(i, taken.get(i).bytes().getInt(0));
      assertEquals(i, taken.get(i).bytes().getInt(LargeBuffers.BUFFER_SIZE - Integer.BYTES));
    }
    buffers.give(taken.get(5));
    assertEquals(taken.get(5), buffers.take());
    assertNull(buffers.take());
  }

  @Test
  void theyLieInHugePagesTogether() {
    AtomicInteger mapped = new AtomicInteger();
    LargeBuffers buffers =
        new LargeBuffers(
            ScriptedCalls.of(
                calls,
                (name, arguments) -> {
                  if (name.equals("map")) {
                    assertEquals(2 << 20, arguments[0]);
                    mapped.incrementAndGet();
                  }
                  return null;
                }));
    assertNotNull(buffers.take());
    assertNotNull(buffers.take());
    assertEquals(1, mapped.get());
    int size = takeAll(buffers).size();
    assertEquals(LargeBuffers.MAX_BUFFERS - 2, size);
    assertEquals(LargeBuffers.MAX_BUFFERS / 4, mapped.get());
  }

  /** Whatever part of a page there is no memory for, its buffers can be made later. */
  @Test
  void memoryThatIsNotThereLeavesRoomForLaterOnes() {
    AtomicInteger untilFailure = new AtomicInteger(Integer.MAX_VALUE);
    LargeBuffers buffers =
        new LargeBuffers(
            ScriptedCalls.of(
                calls,
                (name, arguments) -> {
                  if ((name.equals("map") || name.equals("wrap"))
                      && untilFailure.getAndDecrement() == 0) {
                    throw new OutOfMemoryError("by script");
                  }
                  return null;
                }));
    for (int i = 0; i < 100; i++) {
      untilFailure.set(i % 5);
      assertNull(buffers.take());
      assertTrue(untilFailure.get() < 0);
    }
    untilFailure.set(Integer.MAX_VALUE);
    assertEquals(LargeBuffers.MAX_BUFFERS, takeAll(buffers).size());
  }
}
