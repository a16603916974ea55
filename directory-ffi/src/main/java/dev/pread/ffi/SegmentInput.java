/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.ffi;

import dev.pread.cache.Chunk;
import dev.pread.store.CachedPreadInput;
import dev.pread.store.InputFile;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.apache.lucene.store.MemorySegmentAccessInput;

/**
 * An input in the block cache, with what the foreign memory API adds to {@link CachedPreadInput}.
 *
 * <p><b>Reads by address.</b> A read of a {@code ByteBuffer} loads its address, its limit and what
 * guards its lifetime, half a dozen fields. All memory as one segment that is a constant has none
 * of them. So the reads that are made most often are written once more here, for what lies in the
 * window; everything else, from the end of a window to a block that has gone, is left to the
 * superclass. The window's limits, which it has set, are what keeps the addresses right, and this
 * input is what keeps the memory: every path after a load goes on to use it.
 *
 * <p><b>Segments.</b> Lucene scores vectors and decodes postings right in the cache's memory, with
 * the vector instructions of the processor, as it does in mapped files. Only memory that can't be
 * reused while somebody may look at it is handed out: a stretch of the cache that holds the whole
 * range in one piece, and that stays as it is until the garbage collector has found that neither
 * its segment nor any slice of it can be reached. That is what {@link Arena#ofAuto} tells; Lucene
 * has no call by which it gives a segment back. Everything else is answered with null, and copied
 * by the caller.
 */
final class SegmentInput extends CachedPreadInput implements MemorySegmentAccessInput {

  @SuppressWarnings("restricted") // Checked when the backend was linked; see FfmPosixProvider.
  private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

  private static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;
  private static final ValueLayout.OfShort SHORT =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  SegmentInput(InputFile file) {
    super(file);
  }

  @Override
  protected long address(Chunk chunk) {
    return chunk.address(SegmentInput::address);
  }

  private static long address(ByteBuffer memory) {
    return MemorySegment.ofBuffer(memory).address();
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

  // ---- segments ----

  @Override
  public MemorySegment segmentSliceOrNull(long position, long length) throws IOException {
    if (length == 0) {
      return null;
    }
    MemorySegment segment = (MemorySegment) view(position, length, SegmentInput::segment);
    return segment == null ? null : segment.asSlice(viewOffset(position), length);
  }

  @SuppressWarnings("restricted") // As for ALL.
  private static MemorySegment segment(ByteBuffer chunk, int base, int size, Runnable release) {
    // The chunk is unmapped when it is unreachable: the segment keeps it, through the action.
    return MemorySegment.ofAddress(address(chunk) + base)
        .reinterpret(size, Arena.ofAuto(), new Release(chunk, release));
  }

  /** Runs when the segment is unreachable, and holds its memory until then. */
  private record Release(ByteBuffer chunk, Runnable action)
      implements java.util.function.Consumer<MemorySegment> {

    @Override
    public void accept(MemorySegment unreachable) {
      action.run();
    }
  }

  @Override
  public SegmentInput clone() {
    return (SegmentInput) super.clone();
  }
}
