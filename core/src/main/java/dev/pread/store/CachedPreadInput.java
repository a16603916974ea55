/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import dev.pread.cache.Guard;
import dev.pread.cache.Slot;
import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.util.Objects;

/**
 * An input that reads in the block cache. It has no buffer and makes no copy except into the
 * caller's arrays.
 *
 * <p>Reads inside a window ({@link WindowedPreadInput}) load the value and then ask whether the
 * memory was still what it was when the window was found ({@link Guard}). If it was not, or if the
 * read goes past the end of the window, the window is looked up anew. So a clone is this object and
 * no more.
 *
 * <p>The pattern of each read, {@code load, loadLoadFence, compare}, is written out in every method
 * on purpose: it is a handful of instructions, and the reason this class exists.
 *
 * <p>Values that straddle the end of a window are put together from smaller reads, as {@code
 * DataInput} does.
 */
public class CachedPreadInput extends WindowedPreadInput {

  /** The most bytes of a variable-length integer that is read at once; longer ones are rare. */
  protected static final int MAX_SHORT_VINT = 4;

  /** Creates the input of a whole file, which its {@code close} closes. */
  protected CachedPreadInput(InputFile file) {
    super(file);
  }

  // ---- values at the cursor ----

  @Override
  public byte readByte() throws IOException {
    int i = next;
    if (i < limit) {
      byte value = memory.get(i);
      VarHandle.loadLoadFence();
      if (guard.is(version)) {
        next = i + Byte.BYTES;
        return value;
      }
    }
    return readByteSlowly();
  }

  @Override
  public short readShort() throws IOException {
    int i = next;
    int end = i + Short.BYTES;
    if (end <= limit) {
      short value = memory.getShort(i);
      VarHandle.loadLoadFence();
      if (guard.is(version)) {
        next = end;
        return value;
      }
    }
    return readShortSlowly();
  }

  @Override
  public int readInt() throws IOException {
    int i = next;
    int end = i + Integer.BYTES;
    if (end <= limit) {
      int value = memory.getInt(i);
      VarHandle.loadLoadFence();
      if (guard.is(version)) {
        next = end;
        return value;
      }
    }
    return readIntSlowly();
  }

  @Override
  public long readLong() throws IOException {
    int i = next;
    int end = i + Long.BYTES;
    if (end <= limit) {
      long value = memory.getLong(i);
      VarHandle.loadLoadFence();
      if (guard.is(version)) {
        next = end;
        return value;
      }
    }
    return readLongSlowly();
  }

  /**
   * Reads a variable-length integer as {@code DataInput} does, but looks at the guard only once for
   * all its bytes.
   */
  @Override
  public int readVInt() throws IOException {
    int i = next;
    if (limit - i >= MAX_SHORT_VINT) {
      int b = memory.get(i++);
      int value = b & 0x7F;
      for (int shift = 7; b < 0 && shift < 7 * MAX_SHORT_VINT; shift += 7) {
        b = memory.get(i++);
        value |= (b & 0x7F) << shift;
      }
      VarHandle.loadLoadFence();
      if (b >= 0 && guard.is(version)) {
        next = i;
        return value;
      }
    }
    return super.readVInt();
  }

  private byte readByteSlowly() throws IOException {
    for (int attempt = 0; ; attempt++) {
      refill(Byte.BYTES, Byte.BYTES, attempt);
      byte value = memory.get(next);
      if (isValid()) {
        next += Byte.BYTES;
        return value;
      }
    }
  }

  private short readShortSlowly() throws IOException {
    for (int attempt = 0; refill(Short.BYTES, Short.BYTES, attempt); attempt++) {
      short value = memory.getShort(next);
      if (isValid()) {
        next += Short.BYTES;
        return value;
      }
    }
    return super.readShort();
  }

  private int readIntSlowly() throws IOException {
    for (int attempt = 0; refill(Integer.BYTES, Integer.BYTES, attempt); attempt++) {
      int value = memory.getInt(next);
      if (isValid()) {
        next += Integer.BYTES;
        return value;
      }
    }
    return super.readInt();
  }

  private long readLongSlowly() throws IOException {
    for (int attempt = 0; refill(Long.BYTES, Long.BYTES, attempt); attempt++) {
      long value = memory.getLong(next);
      if (isValid()) {
        next += Long.BYTES;
        return value;
      }
    }
    return super.readLong();
  }

  // ---- bulk reads at the cursor ----

  @Override
  public void readBytes(byte[] dst, int dstOffset, int count) throws IOException {
    int i = next;
    if (count >= 0 && count <= limit - i) {
      ShortCopy.copy(memory, i, dst, dstOffset, count);
      VarHandle.loadLoadFence();
      if (guard.is(version)) {
        next = i + count;
        return;
      }
    }
    readBytesSlowly(dst, dstOffset, count);
  }

  private void readBytesSlowly(byte[] dst, int dstOffset, int count) throws IOException {
    Objects.checkFromIndexSize(dstOffset, count, dst.length);
    startBulkRead(count);
    if (hasJumped() && readWithoutWindow(true, getFilePointer(), dst, dstOffset, count)) {
      moveTo(getFilePointer() + count);
      return;
    }
    int attempt = 0;
    while (count > 0) {
      int here = Math.min(limit - next, count);
      if (here > 0) {
        memory.get(next, dst, dstOffset, here);
        if (isValid()) {
          next += here;
          dstOffset += here;
          count -= here;
          attempt = 0;
          continue;
        }
      }
      refill(Byte.BYTES, count, attempt++);
    }
  }

  @Override
  public final void readLongs(long[] dst, int dstOffset, int count) throws IOException {
    int i = next;
    if (count >= 0 && count <= (limit - i) / Long.BYTES) {
      chunk.getLongs(i, dst, dstOffset, count);
      VarHandle.loadLoadFence();
      if (guard.is(version)) {
        next = i + count * Long.BYTES;
        return;
      }
    }
    readLongsSlowly(dst, dstOffset, count);
  }

  private void readLongsSlowly(long[] dst, int dstOffset, int count) throws IOException {
    Objects.checkFromIndexSize(dstOffset, count, dst.length);
    long bytes = (long) count * Long.BYTES;
    startBulkRead(bytes);
    if (hasJumped()) {
      long position = getFilePointer();
      Slot slot = lookUp(true, position, bytes);
      if (slot != null) {
        blocks.cache().chunk(slot).getLongs(index(slot, position), dst, dstOffset, count);
        if (isValid()) {
          moveTo(position + bytes);
          return;
        }
      } else if (shouldBypass(position, bytes)) {
        file.reader().readLongs(offset + position, dst, dstOffset, count);
        moveTo(position + bytes);
        return;
      }
    }
    int attempt = 0;
    while (count > 0) {
      int here = Math.min((limit - next) / Long.BYTES, count);
      if (here > 0) {
        chunk.getLongs(next, dst, dstOffset, here);
        if (isValid()) {
          next += here * Long.BYTES;
          dstOffset += here;
          count -= here;
          attempt = 0;
          continue;
        }
      }
      if (!refill(Long.BYTES, (long) count * Long.BYTES, attempt++)) {
        dst[dstOffset++] = readLong();
        count--;
      }
    }
  }

  @Override
  public final void readInts(int[] dst, int dstOffset, int count) throws IOException {
    int i = next;
    if (count >= 0 && count <= (limit - i) / Integer.BYTES) {
      chunk.getInts(i, dst, dstOffset, count);
      VarHandle.loadLoadFence();
      if (guard.is(version)) {
        next = i + count * Integer.BYTES;
        return;
      }
    }
    readIntsSlowly(dst, dstOffset, count);
  }

  private void readIntsSlowly(int[] dst, int dstOffset, int count) throws IOException {
    Objects.checkFromIndexSize(dstOffset, count, dst.length);
    long bytes = (long) count * Integer.BYTES;
    startBulkRead(bytes);
    if (hasJumped()) {
      long position = getFilePointer();
      Slot slot = lookUp(true, position, bytes);
      if (slot != null) {
        blocks.cache().chunk(slot).getInts(index(slot, position), dst, dstOffset, count);
        if (isValid()) {
          moveTo(position + bytes);
          return;
        }
      } else if (shouldBypass(position, bytes)) {
        file.reader().readInts(offset + position, dst, dstOffset, count);
        moveTo(position + bytes);
        return;
      }
    }
    int attempt = 0;
    while (count > 0) {
      int here = Math.min((limit - next) / Integer.BYTES, count);
      if (here > 0) {
        chunk.getInts(next, dst, dstOffset, here);
        if (isValid()) {
          next += here * Integer.BYTES;
          dstOffset += here;
          count -= here;
          attempt = 0;
          continue;
        }
      }
      if (!refill(Integer.BYTES, (long) count * Integer.BYTES, attempt++)) {
        dst[dstOffset++] = readInt();
        count--;
      }
    }
  }

  @Override
  public final void readFloats(float[] dst, int dstOffset, int count) throws IOException {
    int i = next;
    if (count >= 0 && count <= (limit - i) / Float.BYTES) {
      chunk.getFloats(i, dst, dstOffset, count);
      VarHandle.loadLoadFence();
      if (guard.is(version)) {
        next = i + count * Float.BYTES;
        return;
      }
    }
    readFloatsSlowly(dst, dstOffset, count);
  }

  private void readFloatsSlowly(float[] dst, int dstOffset, int count) throws IOException {
    Objects.checkFromIndexSize(dstOffset, count, dst.length);
    long bytes = (long) count * Float.BYTES;
    startBulkRead(bytes);
    if (hasJumped()) {
      long position = getFilePointer();
      Slot slot = lookUp(true, position, bytes);
      if (slot != null) {
        blocks.cache().chunk(slot).getFloats(index(slot, position), dst, dstOffset, count);
        if (isValid()) {
          moveTo(position + bytes);
          return;
        }
      } else if (shouldBypass(position, bytes)) {
        file.reader().readFloats(offset + position, dst, dstOffset, count);
        moveTo(position + bytes);
        return;
      }
    }
    int attempt = 0;
    while (count > 0) {
      int here = Math.min((limit - next) / Float.BYTES, count);
      if (here > 0) {
        chunk.getFloats(next, dst, dstOffset, here);
        if (isValid()) {
          next += here * Float.BYTES;
          dstOffset += here;
          count -= here;
          attempt = 0;
          continue;
        }
      }
      if (!refill(Float.BYTES, (long) count * Float.BYTES, attempt++)) {
        dst[dstOffset++] = Float.intBitsToFloat(readInt());
        count--;
      }
    }
  }

  // ---- absolute reads ----

  @Override
  public byte readByte(long position) throws IOException {
    long i = position - otherStart;
    if (isWithin(i, Byte.BYTES, otherSize)) {
      byte value = otherMemory.get(otherBase + (int) i);
      VarHandle.loadLoadFence();
      if (otherGuard.is(otherVersion)) {
        return value;
      }
    }
    return readByteSlowly(position);
  }

  @Override
  public short readShort(long position) throws IOException {
    long i = position - otherStart;
    if (isWithin(i, Short.BYTES, otherSize)) {
      short value = otherMemory.getShort(otherBase + (int) i);
      VarHandle.loadLoadFence();
      if (otherGuard.is(otherVersion)) {
        return value;
      }
    }
    return readShortSlowly(position);
  }

  @Override
  public int readInt(long position) throws IOException {
    long i = position - otherStart;
    if (isWithin(i, Integer.BYTES, otherSize)) {
      int value = otherMemory.getInt(otherBase + (int) i);
      VarHandle.loadLoadFence();
      if (otherGuard.is(otherVersion)) {
        return value;
      }
    }
    return readIntSlowly(position);
  }

  @Override
  public long readLong(long position) throws IOException {
    long i = position - otherStart;
    if (isWithin(i, Long.BYTES, otherSize)) {
      long value = otherMemory.getLong(otherBase + (int) i);
      VarHandle.loadLoadFence();
      if (otherGuard.is(otherVersion)) {
        return value;
      }
    }
    return readLongSlowly(position);
  }

  private byte readByteSlowly(long position) throws IOException {
    for (int attempt = 0; ; attempt++) {
      refillOther(position, Byte.BYTES, Byte.BYTES, attempt);
      byte value = otherMemory.get(otherIndex(position));
      if (isOtherValid()) {
        return value;
      }
    }
  }

  private short readShortSlowly(long position) throws IOException {
    for (int attempt = 0; refillOther(position, Short.BYTES, Short.BYTES, attempt); attempt++) {
      short value = otherMemory.getShort(otherIndex(position));
      if (isOtherValid()) {
        return value;
      }
    }
    int low = readByte(position) & 0xFF;
    return (short) ((readByte(position + Byte.BYTES) << Byte.SIZE) | low);
  }

  private int readIntSlowly(long position) throws IOException {
    for (int attempt = 0; refillOther(position, Integer.BYTES, Integer.BYTES, attempt); attempt++) {
      int value = otherMemory.getInt(otherIndex(position));
      if (isOtherValid()) {
        return value;
      }
    }
    int low = readShort(position) & 0xFFFF;
    return (readShort(position + Short.BYTES) << Short.SIZE) | low;
  }

  private long readLongSlowly(long position) throws IOException {
    for (int attempt = 0; refillOther(position, Long.BYTES, Long.BYTES, attempt); attempt++) {
      long value = otherMemory.getLong(otherIndex(position));
      if (isOtherValid()) {
        return value;
      }
    }
    long low = readInt(position) & 0xFFFFFFFFL;
    return ((long) readInt(position + Integer.BYTES) << Integer.SIZE) | low;
  }

  @Override
  public void readBytes(long position, byte[] dst, int dstOffset, int count) throws IOException {
    Objects.checkFromIndexSize(dstOffset, count, dst.length);
    if (position < 0 || count > length - position) {
      throw outOfRange("read", position, count);
    }
    ensureOpen();
    if (atRandom && (position < otherStart || position >= otherStart + otherSize)) {
      otherSize = 0;
      if (readWithoutWindow(false, position, dst, dstOffset, count)) {
        return;
      }
    }
    int attempt = 0;
    while (count > 0) {
      long i = position - otherStart;
      if (i >= 0 && i < otherSize) {
        int here = (int) Math.min(otherSize - i, count);
        ShortCopy.copy(otherMemory, otherBase + (int) i, dst, dstOffset, here);
        if (isOtherValid()) {
          position += here;
          dstOffset += here;
          count -= here;
          attempt = 0;
          continue;
        }
      }
      refillOther(position, Byte.BYTES, count, attempt++);
    }
  }

  /** Reads out of a block, or bypasses the cache; returns false if neither will do. */
  private boolean readWithoutWindow(
      boolean ofCursor, long position, byte[] dst, int dstOffset, int count) throws IOException {
    Slot slot = lookUp(ofCursor, position, count);
    if (slot != null) {
      ShortCopy.copy(
          blocks.cache().chunk(slot).bytes(), index(slot, position), dst, dstOffset, count);
      return ofCursor ? isValid() : isOtherValid();
    }
    if (shouldBypass(position, count)) {
      file.reader().readBytes(offset + position, dst, dstOffset, count);
      return true;
    }
    return false;
  }

  @Override
  public CachedPreadInput clone() {
    return (CachedPreadInput) super.clone();
  }
}
