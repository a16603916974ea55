/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import dev.pread.cache.Chunk;
import dev.pread.cache.Guard;
import dev.pread.cache.OpenGuard;
import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Array;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * An input that reads in a window: a stretch of memory that holds a stretch of the input. This
 * class has all reads, each of them once; subclasses decide where the window lies and what is read
 * from the file for it.
 *
 * <p>A read loads its value and then asks whether the memory was still what it was when the window
 * was filled ({@link Guard}). If it was not, or if the value does not end inside the window, the
 * window is filled anew. So nothing is pinned, and there is nothing to release. The pattern {@code
 * load, loadLoadFence, compare} is written out in every method: a shared one was measured to be no
 * faster, and to slow down {@code readByte} ({@code docs/decisions/0006-reads-by-address.md}).
 *
 * <p>Absolute reads outside the window are made by another input on the same place, which this one
 * makes when it first needs it: so neither loses the place where the other is.
 *
 * <p>A read that has filled the window calls itself: it ends with the first window that is still
 * valid when the value has been loaded, which a private one nearly always is.
 *
 * <p>Values that straddle the end of a window are put together from smaller reads, as {@code
 * DataInput} does.
 */
public abstract class WindowedPreadInput extends PreadIndexInput {

  /** How often a block may vanish after it has been found, before it is read privately. */
  private static final int MAX_ATTEMPTS = 8;

  /** A value so far from every position that no read goes on there. */
  private static final long NOTHING_READ = Long.MIN_VALUE / 2;

  /** The most bytes of a variable-length integer that is read at once; longer ones are rare. */
  private static final int MAX_SHORT_VINT = 4;

  // The window holds as many bytes as `limit` says, from position `windowStart` on, with the cursor
  // at `next`. They lie in `memory` from `base` on.

  ByteBuffer memory = Chunk.EMPTY.bytes();
  int base;

  /** The chunk that {@code memory} is, if the window lies in the cache. */
  Chunk chunk = Chunk.EMPTY;

  /** The array of {@code memory}, if the window is a buffer on the heap. */
  byte[] array;

  /** The address of the window's first byte, if values are loaded by address. */
  long address;

  /** The file's own until the first window in the cache, so that it tells of a close. */
  Guard guard;

  long version = OpenGuard.OPEN;

  private long windowStart;
  private int next;
  private int limit;

  /** Where the last window, or the last read without one, ended. */
  private long lastEnd = NOTHING_READ;

  /** How often in a row the window had what was to be read, but not its memory any more. */
  private int attempts;

  /**
   * What makes the absolute reads of this input, or the input whose absolute reads this one makes.
   * This input makes them itself as long as they stay in its window, which does not move then.
   */
  private WindowedPreadInput twin = this;

  /** Creates the input of a whole file, which its {@code close} closes. */
  WindowedPreadInput(InputFile file) {
    super(file);
    this.guard = file.guard();
  }

  // ---- what subclasses decide ----

  /** Returns how values are loaded in the window; the same for all inputs of a class. */
  abstract Access access();

  /**
   * Makes the window show the byte at the cursor, by a call of {@link #setWindow}, and reads it
   * from the file if need be.
   *
   * @param bytes the size of the value to read, which need not end in the window
   * @param wanted how many bytes are going to be read from there on
   * @param isHopeless whether what is shared with others has been gone too often
   */
  abstract void fill(long position, int bytes, long wanted, boolean isHopeless) throws IOException;

  /**
   * Reads at the cursor into an array without a window, if that is better.
   *
   * @return whether it has been read; then the caller moves the cursor
   */
  abstract <A> boolean readPast(Elements<A> kind, long position, A dst, int offset, int count)
      throws IOException;

  // ---- the window ----

  /** Returns the address of the window's first byte, for an {@link Access} by address. */
  public final long address() {
    return address;
  }

  /**
   * Sets the limits of the window, which {@link #moveTo} has emptied. The cursor stays.
   *
   * @param start the position of the window's first byte
   * @param size the size of the window in bytes
   */
  final void setWindow(long start, int size) {
    next = (int) (getFilePointer() - start);
    windowStart = start;
    limit = size;
    lastEnd = start + size;
  }

  /**
   * Moves the cursor to a position that is known to be legal, and empties the window, whose memory
   * and guard may be changed then.
   */
  final void moveTo(long position) {
    limit = 0;
    windowStart = position;
    next = 0;
  }

  /** Returns whether the window is empty, since the cursor or the last read was elsewhere. */
  final boolean hasNoWindow() {
    return limit == 0;
  }

  /**
   * Returns whether a value at the cursor goes on from where the last window, or the last read
   * without one, ended.
   *
   * @param bytes the size of the value, which may have begun before that end
   * @param reach how far behind that end, in bytes, it is still taken to go on
   */
  final boolean goesOn(int bytes, int reach) {
    long step = getFilePointer() - lastEnd;
    return step > -bytes && step < reach;
  }

  /** Returns how many bytes from a position on are in the window, or 0 if that is not in it. */
  final int available(long position) {
    long i = position - windowStart;
    return i >= 0 && i < limit ? limit - (int) i : 0;
  }

  /** Returns the other input on the same place that this one shares work with, or null. */
  @SuppressWarnings("ReferenceEquality") // Whether it is this very object is the question.
  final WindowedPreadInput twin() {
    return twin == this ? null : twin;
  }

  /** Makes the window, which {@link #moveTo} has emptied, show the buffer of another input. */
  final void showBufferOf(WindowedPreadInput other) {
    memory = other.memory;
    array = other.array;
    setWindow(other.windowStart, other.limit);
  }

  /**
   * Makes the window show the place of the cursor.
   *
   * @param bytes the size of the value to read
   * @param wanted how many bytes are going to be read from here on
   * @return whether the whole value is in the window; its first byte is in any case
   */
  private boolean refill(int bytes, long wanted) throws IOException {
    long position = getFilePointer();
    checkRead(position, bytes);
    attempts = available(position) < bytes ? 0 : attempts + 1;
    fill(position, bytes, wanted, attempts >= MAX_ATTEMPTS);
    if (isClosed()) {
      // This is asked once more, now that there is a version: a close after this look changes it.
      moveTo(position);
      throw file.alreadyClosed(this);
    }
    return bytes <= limit - next;
  }

  // ---- the cursor ----

  @Override
  public final long getFilePointer() {
    return windowStart + next;
  }

  /** Moves the cursor, in the window if it stays there. */
  @Override
  public final void seek(long position) throws IOException {
    attempts = 0;
    long i = position - windowStart;
    if (i >= 0 && i <= limit) {
      next = (int) i;
    } else if (position < 0 || position > length) {
      throw outOfRange("seek to", position, 0);
    } else {
      moveTo(position);
    }
    ensureOpen();
  }

  @Override
  public byte readByte() throws IOException {
    int i = next;
    if (i < limit) {
      byte value = access().getByte(this, i);
      VarHandle.loadLoadFence();
      if (guard.is(version)) {
        next = i + Byte.BYTES;
        return value;
      }
    }
    refill(Byte.BYTES, Byte.BYTES);
    return readByte();
  }

  @Override
  public short readShort() throws IOException {
    int i = next;
    int end = i + Short.BYTES;
    if (end <= limit) {
      short value = access().getShort(this, i);
      VarHandle.loadLoadFence();
      if (guard.is(version)) {
        next = end;
        return value;
      }
    }
    return refill(Short.BYTES, Short.BYTES) ? readShort() : super.readShort();
  }

  @Override
  public int readInt() throws IOException {
    int i = next;
    int end = i + Integer.BYTES;
    if (end <= limit) {
      int value = access().getInt(this, i);
      VarHandle.loadLoadFence();
      if (guard.is(version)) {
        next = end;
        return value;
      }
    }
    return refill(Integer.BYTES, Integer.BYTES) ? readInt() : super.readInt();
  }

  @Override
  public long readLong() throws IOException {
    int i = next;
    int end = i + Long.BYTES;
    if (end <= limit) {
      long value = access().getLong(this, i);
      VarHandle.loadLoadFence();
      if (guard.is(version)) {
        next = end;
        return value;
      }
    }
    return refill(Long.BYTES, Long.BYTES) ? readLong() : super.readLong();
  }

  /**
   * Reads a variable-length integer as {@code DataInput} does, but looks at the guard only once for
   * all its bytes.
   */
  @Override
  public final int readVInt() throws IOException {
    int i = next;
    if (limit - i >= MAX_SHORT_VINT) {
      int b = access().getByte(this, i++);
      int value = b & 0x7F;
      for (int shift = 7; b < 0 && shift < 7 * MAX_SHORT_VINT; shift += 7) {
        b = access().getByte(this, i++);
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

  @Override
  public final void readBytes(byte[] dst, int offset, int count) throws IOException {
    int i = next;
    if (count >= 0 && count <= limit - i) {
      access().getBytes(this, i, dst, offset, count);
      VarHandle.loadLoadFence();
      if (guard.is(version)) {
        next = i + count;
        return;
      }
    }
    readSlowly(Elements.BYTES, dst, offset, count);
  }

  @Override
  public final void readLongs(long[] dst, int offset, int count) throws IOException {
    read(Elements.LONGS, dst, offset, count);
  }

  @Override
  public final void readInts(int[] dst, int offset, int count) throws IOException {
    read(Elements.INTS, dst, offset, count);
  }

  @Override
  public final void readFloats(float[] dst, int offset, int count) throws IOException {
    read(Elements.FLOATS, dst, offset, count);
  }

  /** The compiler makes this a part of its callers, and knows the kind there. */
  private <A> void read(Elements<A> kind, A dst, int offset, int count) throws IOException {
    int i = next;
    long end = i + (long) count * kind.bytes;
    if (count >= 0 && end <= limit) {
      kind.copy(access(), this, i, dst, offset, count);
      VarHandle.loadLoadFence();
      if (guard.is(version)) {
        next = (int) end;
        return;
      }
    }
    readSlowly(kind, dst, offset, count);
  }

  /** Reads whole elements, as many of them at a time as are in the window. */
  private <A> void readSlowly(Elements<A> kind, A dst, int offset, int count) throws IOException {
    Objects.checkFromIndexSize(offset, count, Array.getLength(dst));
    checkRead(getFilePointer(), (long) count * kind.bytes);
    while (count > 0) {
      int here = Math.min((limit - next) / kind.bytes, count);
      if (here > 0) {
        kind.copy(access(), this, next, dst, offset, here);
        VarHandle.loadLoadFence();
        if (guard.is(version)) {
          next += here * kind.bytes;
          offset += here;
          count -= here;
          continue;
        }
      }
      long bytes = (long) count * kind.bytes;
      if (readPast(kind, getFilePointer(), dst, offset, count)) {
        lastEnd = getFilePointer() + bytes;
        moveTo(lastEnd);
        return;
      }
      if (!refill(kind.bytes, bytes)) {
        kind.readOne(this, dst, offset++);
        count--;
      }
    }
  }

  // ---- absolute reads ----

  @Override
  public final byte readByte(long position) throws IOException {
    WindowedPreadInput in = twin;
    long i = position - in.windowStart;
    if (i >= 0 && i <= in.limit - Byte.BYTES) {
      byte value = access().getByte(in, (int) i);
      VarHandle.loadLoadFence();
      if (in.guard.is(in.version)) {
        return value;
      }
    }
    return at(position).readByte();
  }

  @Override
  public final short readShort(long position) throws IOException {
    WindowedPreadInput in = twin;
    long i = position - in.windowStart;
    if (i >= 0 && i <= in.limit - Short.BYTES) {
      short value = access().getShort(in, (int) i);
      VarHandle.loadLoadFence();
      if (in.guard.is(in.version)) {
        return value;
      }
    }
    return at(position).readShort();
  }

  @Override
  public final int readInt(long position) throws IOException {
    WindowedPreadInput in = twin;
    long i = position - in.windowStart;
    if (i >= 0 && i <= in.limit - Integer.BYTES) {
      int value = access().getInt(in, (int) i);
      VarHandle.loadLoadFence();
      if (in.guard.is(in.version)) {
        return value;
      }
    }
    return at(position).readInt();
  }

  @Override
  public final long readLong(long position) throws IOException {
    WindowedPreadInput in = twin;
    long i = position - in.windowStart;
    if (i >= 0 && i <= in.limit - Long.BYTES) {
      long value = access().getLong(in, (int) i);
      VarHandle.loadLoadFence();
      if (in.guard.is(in.version)) {
        return value;
      }
    }
    return at(position).readLong();
  }

  @Override
  public final void readBytes(long position, byte[] dst, int offset, int count) throws IOException {
    at(position).readBytes(dst, offset, count);
  }

  /** Returns what makes the absolute reads, with its cursor at a position. */
  private WindowedPreadInput at(long position) throws IOException {
    WindowedPreadInput reader = twin();
    if (reader == null) {
      reader = (WindowedPreadInput) clone();
      reader.twin = this;
      twin = reader;
      if (isClosed()) {
        // It may have been closed before there was a twin to be forgotten.
        twin = this;
        throw file.alreadyClosed(this);
      }
    }
    checkRead(position, 0);
    reader.seek(position);
    return reader;
  }

  @Override
  public final void prefetch(long position, long count) throws IOException {
    ensureOpen();
    if (position < 0 || count < 0 || count > length - position) {
      throw new IndexOutOfBoundsException("prefetch " + range(position, count));
    }
    // What is announced comes into the cache or beside it, so that reads had better wait for it.
    isAnnounced = true;
    if (count > available(position) || guard.acquire() != version) {
      file.prefetch(offset + position, count, plan.atRandom());
    }
  }

  // ---- the life of the input ----

  @Override
  void reset(long position) {
    moveTo(position);
    memory = Chunk.EMPTY.bytes();
    base = 0;
    chunk = Chunk.EMPTY;
    array = null;
    lastEnd = NOTHING_READ;
    // A clone must not mistake the memory that its original reads in for its own.
    guard = file.guard();
    twin = this;
  }

  @Override
  final void planChanged() {
    // The other input has the earlier plan.
    twin = this;
  }

  @Override
  final void shut() {
    limit = 0;
    // Nothing else leads to the other input, which need not know of it.
    twin = this;
  }
}
