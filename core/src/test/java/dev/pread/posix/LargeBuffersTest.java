/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.Fixtures;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class LargeBuffersTest {

  /** The memory in bytes that all buffers have, as docs/tuning.md says. */
  private static final long MAX_BYTES = 32 << 20;

  private static final int HUGE_PAGE_SIZE = 2 << 20;

  private final SystemCalls calls = Fixtures.backend().calls();

  private static List<NativeBuffer> takeAll(LargeBuffers buffers) {
    List<NativeBuffer> taken = new ArrayList<>();
    for (NativeBuffer buffer = buffers.take(); buffer != null; buffer = buffers.take()) {
      taken.add(buffer);
      assertTrue(bytes(taken) <= MAX_BYTES, "buffers without end");
    }
    return taken;
  }

  private static long bytes(List<NativeBuffer> buffers) {
    return buffers.stream().mapToLong(NativeBuffer::size).sum();
  }

  @Test
  void eachIsMemoryOfItsOwn() {
    LargeBuffers buffers = new LargeBuffers(calls);
    List<NativeBuffer> taken = takeAll(buffers);
    assertEquals(MAX_BYTES, bytes(taken));
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
                    assertEquals(HUGE_PAGE_SIZE, arguments[0]);
                    mapped.incrementAndGet();
                  }
                  return null;
                }));
    List<NativeBuffer> taken = new ArrayList<>(List.of(buffers.take(), buffers.take()));
    assertEquals(1, mapped.get());
    taken.addAll(takeAll(buffers));
    assertEquals(bytes(taken), (long) mapped.get() * HUGE_PAGE_SIZE, "no part of a page is lost");
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
    assertEquals(MAX_BYTES, bytes(takeAll(buffers)), "none is lost");
  }
}
