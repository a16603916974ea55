/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.ffi;

import dev.pread.cache.Chunk;
import dev.pread.store.InputFile;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * An input in the block cache that reads by address.
 *
 * <p>A read of a {@code ByteBuffer} loads its address, its limit and what guards its lifetime: half
 * a dozen fields. A constant segment over all memory has none of them. So the reads that are made
 * most often are written once more here, for what lies in the window; everything else, from the end
 * of a window to a block that has been evicted, is left to the superclass. The window's limits,
 * which the superclass has set, keep the addresses right, and this input keeps the memory: every
 * path after a load goes on to use it.
 *
 * <p>{@code docs/decisions/0006-reads-by-address.md} says what two threads can do that share one
 * input, which Lucene forbids, and how to have reads that check all bounds.
 */
final class AddressInput extends SegmentInput {

  @SuppressWarnings("restricted") // This was checked at linking; see FfmSystemCallsProvider.
  private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

  private static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;
  private static final ValueLayout.OfShort SHORT =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  AddressInput(InputFile file) {
    super(file);
  }

  @Override
  protected long address(Chunk chunk) {
    return chunk.address(SegmentInput::address);
  }

  // ---- the cursor ----

  @Override
  public byte readByte() throws IOException {
    int i = next;
    if (i < limit) {
      byte value = ALL.get(BYTE, address + i);
      VarHandle.loadLoadFence();
      if (guard.is(version)) {
        next = i + Byte.BYTES;
        return value;
      }
    }
    return super.readByte();
  }

  @Override
  public short readShort() throws IOException {
    int i = next;
    int end = i + Short.BYTES;
    if (end <= limit) {
      short value = ALL.get(SHORT, address + i);
      VarHandle.loadLoadFence();
      if (guard.is(version)) {
        next = end;
        return value;
      }
    }
    return super.readShort();
  }

  @Override
  public int readInt() throws IOException {
    int i = next;
    int end = i + Integer.BYTES;
    if (end <= limit) {
      int value = ALL.get(INT, address + i);
      VarHandle.loadLoadFence();
      if (guard.is(version)) {
        next = end;
        return value;
      }
    }
    return super.readInt();
  }

  @Override
  public long readLong() throws IOException {
    int i = next;
    int end = i + Long.BYTES;
    if (end <= limit) {
      long value = ALL.get(LONG, address + i);
      VarHandle.loadLoadFence();
      if (guard.is(version)) {
        next = end;
        return value;
      }
    }
    return super.readLong();
  }

  @Override
  public int readVInt() throws IOException {
    int i = next;
    if (limit - i >= MAX_SHORT_VINT) {
      long at = address + i;
      int b = ALL.get(BYTE, at++);
      int value = b & 0x7F;
      for (int shift = 7; b < 0 && shift < 7 * MAX_SHORT_VINT; shift += 7) {
        b = ALL.get(BYTE, at++);
        value |= (b & 0x7F) << shift;
      }
      VarHandle.loadLoadFence();
      if (b >= 0 && guard.is(version)) {
        next = (int) (at - address);
        return value;
      }
    }
    return super.readVInt();
  }

  @Override
  public void readBytes(byte[] dst, int dstOffset, int count) throws IOException {
    int i = next;
    if (count >= 0 && count <= limit - i) {
      MemorySegment.copy(ALL, BYTE, address + i, dst, dstOffset, count);
      VarHandle.loadLoadFence();
      if (guard.is(version)) {
        next = i + count;
        return;
      }
    }
    super.readBytes(dst, dstOffset, count);
  }

  // ---- absolute reads ----

  @Override
  public byte readByte(long position) throws IOException {
    long i = position - otherStart;
    if (isWithin(i, Byte.BYTES, otherSize)) {
      byte value = ALL.get(BYTE, otherAddress + i);
      VarHandle.loadLoadFence();
      if (otherGuard.is(otherVersion)) {
        return value;
      }
    }
    return super.readByte(position);
  }

  @Override
  public short readShort(long position) throws IOException {
    long i = position - otherStart;
    if (isWithin(i, Short.BYTES, otherSize)) {
      short value = ALL.get(SHORT, otherAddress + i);
      VarHandle.loadLoadFence();
      if (otherGuard.is(otherVersion)) {
        return value;
      }
    }
    return super.readShort(position);
  }

  @Override
  public int readInt(long position) throws IOException {
    long i = position - otherStart;
    if (isWithin(i, Integer.BYTES, otherSize)) {
      int value = ALL.get(INT, otherAddress + i);
      VarHandle.loadLoadFence();
      if (otherGuard.is(otherVersion)) {
        return value;
      }
    }
    return super.readInt(position);
  }

  @Override
  public long readLong(long position) throws IOException {
    long i = position - otherStart;
    if (isWithin(i, Long.BYTES, otherSize)) {
      long value = ALL.get(LONG, otherAddress + i);
      VarHandle.loadLoadFence();
      if (otherGuard.is(otherVersion)) {
        return value;
      }
    }
    return super.readLong(position);
  }

  @Override
  public AddressInput clone() {
    return (AddressInput) super.clone();
  }
}
