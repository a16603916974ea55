/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.ffi;

import dev.pread.cache.Chunk;
import dev.pread.store.Access;
import dev.pread.store.WindowedPreadInput;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Loads values by address.
 *
 * <p>A read of a {@code ByteBuffer} loads its address, its limit and what guards its lifetime: half
 * a dozen fields. A constant segment over all memory has none of them. The window's limits keep the
 * addresses right, and the input keeps the memory: every path after a load goes on to use it.
 *
 * <p>{@code docs/decisions/0006-reads-by-address.md} says what two threads can do that share one
 * input, which Lucene forbids, and how to have reads that check all bounds.
 */
final class AddressAccess extends Access {

  @SuppressWarnings("restricted") // This was checked at linking; see FfmSystemCallsProvider.
  private static final MemorySegment WHOLE_MEMORY = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

  private static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;
  private static final ValueLayout.OfShort SHORT =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfFloat FLOAT =
      ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  AddressAccess() {}

  @Override
  protected long address(Chunk chunk) {
    return chunk.address(memory -> MemorySegment.ofBuffer(memory).address());
  }

  @Override
  protected byte getByte(WindowedPreadInput from, int index) {
    return WHOLE_MEMORY.get(BYTE, from.address() + index);
  }

  @Override
  protected short getShort(WindowedPreadInput from, int index) {
    return WHOLE_MEMORY.get(SHORT, from.address() + index);
  }

  @Override
  protected int getInt(WindowedPreadInput from, int index) {
    return WHOLE_MEMORY.get(INT, from.address() + index);
  }

  @Override
  protected long getLong(WindowedPreadInput from, int index) {
    return WHOLE_MEMORY.get(LONG, from.address() + index);
  }

  @Override
  protected void getBytes(WindowedPreadInput from, int index, byte[] dst, int offset, int count) {
    MemorySegment.copy(WHOLE_MEMORY, BYTE, from.address() + index, dst, offset, count);
  }

  @Override
  protected void getLongs(WindowedPreadInput from, int index, long[] dst, int offset, int count) {
    MemorySegment.copy(WHOLE_MEMORY, LONG, from.address() + index, dst, offset, count);
  }

  @Override
  protected void getInts(WindowedPreadInput from, int index, int[] dst, int offset, int count) {
    MemorySegment.copy(WHOLE_MEMORY, INT, from.address() + index, dst, offset, count);
  }

  @Override
  protected void getFloats(WindowedPreadInput from, int index, float[] dst, int offset, int count) {
    MemorySegment.copy(WHOLE_MEMORY, FLOAT, from.address() + index, dst, offset, count);
  }
}
