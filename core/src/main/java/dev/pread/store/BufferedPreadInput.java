/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;
import org.apache.lucene.store.RandomAccessInput;

/**
 * A buffered input over {@code pread(2)}: Lucene's cursor and its absolute reads on one file or a
 * slice of it.
 *
 * <p><b>Two windows.</b> A window is a stretch of the file in a heap buffer of this input (a {@code
 * ByteBuffer} rather than an array: its absolute reads compile to one check where a view of an
 * array has two, which made {@code readInt} and {@code readLong} 1.4 times as fast). The cursor's
 * reads use one window and absolute reads ({@link RandomAccessInput}) use another, so that neither
 * discards what the other has buffered; when the cursor arrives where the other window already is,
 * the two are swapped instead of being read again (decoding group-varints does that all the time).
 * Windows are filled on the first read that misses them, at multiples of the buffer size, so that
 * reads that go backwards stay inside a window, too; a value that would straddle a border moves the
 * window to where the value begins. {@link #clone} and {@link #slice} read nothing and allocate no
 * buffer.
 *
 * <p>No byte beyond the end of a slice is ever buffered, so none can be returned.
 */
@SuppressWarnings("ByteBufferBackingArray") // All are made by littleEndian(), so offsets are 0.
final class BufferedPreadInput extends PreadIndexInput {

  private static final ByteBuffer NO_BYTES = littleEndian(0);

  /** A value so far from every position that no read continues there. */
  private static final long NOTHING_READ = Long.MIN_VALUE / 2;

  /** This many reads in a row that do not continue the one before are no accident. */
  private static final int MANY_JUMPS = 8;

  /** How many bytes are read at once where reads jump, or are made again and again. */
  private static final int JUMPING_SIZE = 1 << 10;

  private int bufferSize;

  /** How many fills in a row did not continue the one before, up to {@link #MANY_JUMPS}. */
  private int jumps;

  /**
   * The cursor's window: {@code [windowStart, windowStart + limit)}, with the cursor at {@code
   * next}.
   */
  private ByteBuffer window = NO_BYTES;

  /** The array of {@code window}, from which single bytes are read faster. */
  private byte[] windowBytes = NO_BYTES.array();

  private long windowStart;
  private int next;
  private int limit;

  /** The end of what has been read for the cursor; a negative number before the first read. */
  private long readTo = NOTHING_READ;

  /** Whether the cursor's current run of reads began where reads begin again and again. */
  private boolean wanted;

  /** The window of absolute reads. */
  private ByteBuffer otherWindow = NO_BYTES;

  private long otherStart;
  private int otherLimit;

  /** Like {@link #readTo}, but for absolute reads. */
  private long otherReadTo = NOTHING_READ;

  /** Like {@link #wanted}, but for absolute reads. */
  private boolean otherWanted;

  /**
   * Creates the input of a whole file, which its {@code close} closes.
   *
   * @param bufferSize bytes, a power of two
   */
  BufferedPreadInput(InputFile file, int bufferSize) {
    super(file);
    this.bufferSize = bufferSize;
  }

  // ---- the cursor ----

  @Override
  public long getFilePointer() {
    return windowStart + next;
  }

  @Override
  public void seek(long position) throws IOException {
    long index = position - windowStart;
    if (index >= 0 && index <= limit) {
      next = (int) index;
    } else {
      checkSeek(position);
      moveTo(position);
    }
    ensureOpen();
  }

  @Override
  public byte readByte() throws IOException {
    int i = next;
    if (i >= limit || !file.isOpen()) {
      i = refill(Byte.BYTES);
    }
    next = i + Byte.BYTES;
    return windowBytes[i];
  }

  @Override
  public short readShort() throws IOException {
    int i = next;
    int end = i + Short.BYTES;
    if (end > limit || !file.isOpen()) {
      i = refill(Short.BYTES);
      end = i + Short.BYTES;
    }
    next = end;
    return window.getShort(i);
  }

  @Override
  public int readInt() throws IOException {
    int i = next;
    int end = i + Integer.BYTES;
    if (end > limit || !file.isOpen()) {
      i = refill(Integer.BYTES);
      end = i + Integer.BYTES;
    }
    next = end;
    return window.getInt(i);
  }

  @Override
  public long readLong() throws IOException {
    int i = next;
    int end = i + Long.BYTES;
    if (end > limit || !file.isOpen()) {
      i = refill(Long.BYTES);
      end = i + Long.BYTES;
    }
    next = end;
    return window.getLong(i);
  }

  @Override
  public void readBytes(byte[] dst, int dstOffset, int count) throws IOException {
    int i = next;
    if (count >= 0 && count <= limit - i && file.isOpen()) {
      window.get(i, dst, dstOffset, count);
      next = i + count;
      return;
    }
    Objects.checkFromIndexSize(dstOffset, count, dst.length);
    startBulkRead(count);
    while (count > 0) {
      int buffered = Math.min(limit - next, count);
      window.get(next, dst, dstOffset, buffered);
      next += buffered;
      dstOffset += buffered;
      count -= buffered;
      if (count >= bufferSize) {
        long position = getFilePointer();
        lookWhereItBegins(position);
        file.readBytes(offset + position, dst, dstOffset, count, isJumping() || wanted);
        moveTo(position + count);
        readTo = position + count;
        return;
      }
      if (count > 0) {
        refill(Byte.BYTES);
      }
    }
  }

  @Override
  public void readLongs(long[] dst, int dstOffset, int count) throws IOException {
    Objects.checkFromIndexSize(dstOffset, count, dst.length);
    startBulkRead((long) count * Long.BYTES);
    while (count > 0) {
      int buffered = Math.min((limit - next) / Long.BYTES, count);
      if (buffered > 0) {
        window.position(next).asLongBuffer().get(dst, dstOffset, buffered);
        next += buffered * Long.BYTES;
        dstOffset += buffered;
        count -= buffered;
      }
      if (count >= bufferSize / Long.BYTES) {
        long position = getFilePointer();
        file.reader().readLongs(offset + position, dst, dstOffset, count);
        moveTo(position + (long) count * Long.BYTES);
        readTo = getFilePointer();
        return;
      }
      if (count > 0) {
        refill(Long.BYTES);
      }
    }
  }

  @Override
  public void readInts(int[] dst, int dstOffset, int count) throws IOException {
    Objects.checkFromIndexSize(dstOffset, count, dst.length);
    startBulkRead((long) count * Integer.BYTES);
    while (count > 0) {
      int buffered = Math.min((limit - next) / Integer.BYTES, count);
      if (buffered > 0) {
        window.position(next).asIntBuffer().get(dst, dstOffset, buffered);
        next += buffered * Integer.BYTES;
        dstOffset += buffered;
        count -= buffered;
      }
      if (count >= bufferSize / Integer.BYTES) {
        long position = getFilePointer();
        file.reader().readInts(offset + position, dst, dstOffset, count);
        moveTo(position + (long) count * Integer.BYTES);
        readTo = getFilePointer();
        return;
      }
      if (count > 0) {
        refill(Integer.BYTES);
      }
    }
  }

  @Override
  public void readFloats(float[] dst, int dstOffset, int count) throws IOException {
    Objects.checkFromIndexSize(dstOffset, count, dst.length);
    startBulkRead((long) count * Float.BYTES);
    while (count > 0) {
      int buffered = Math.min((limit - next) / Float.BYTES, count);
      if (buffered > 0) {
        window.position(next).asFloatBuffer().get(dst, dstOffset, buffered);
        next += buffered * Float.BYTES;
        dstOffset += buffered;
        count -= buffered;
      }
      if (count >= bufferSize / Float.BYTES) {
        long position = getFilePointer();
        file.reader().readFloats(offset + position, dst, dstOffset, count);
        moveTo(position + (long) count * Float.BYTES);
        readTo = getFilePointer();
        return;
      }
      if (count > 0) {
        refill(Float.BYTES);
      }
    }
  }

  // ---- absolute reads ----

  @Override
  public byte readByte(long position) throws IOException {
    long i = position - otherStart;
    if (isWithin(i, Byte.BYTES, otherLimit) && file.isOpen()) {
      return otherWindow.get((int) i);
    }
    i = position - windowStart;
    if (isWithin(i, Byte.BYTES, limit) && file.isOpen()) {
      return window.get((int) i);
    }
    // This is not one expression: the window is read after it has been filled, and may be another
    // by then.
    int index = refillOther(position, Byte.BYTES);
    return otherWindow.get(index);
  }

  @Override
  public short readShort(long position) throws IOException {
    long i = position - otherStart;
    if (isWithin(i, Short.BYTES, otherLimit) && file.isOpen()) {
      return otherWindow.getShort((int) i);
    }
    i = position - windowStart;
    if (isWithin(i, Short.BYTES, limit) && file.isOpen()) {
      return window.getShort((int) i);
    }
    int index = refillOther(position, Short.BYTES);
    return otherWindow.getShort(index);
  }

  @Override
  public int readInt(long position) throws IOException {
    long i = position - otherStart;
    if (isWithin(i, Integer.BYTES, otherLimit) && file.isOpen()) {
      return otherWindow.getInt((int) i);
    }
    i = position - windowStart;
    if (isWithin(i, Integer.BYTES, limit) && file.isOpen()) {
      return window.getInt((int) i);
    }
    int index = refillOther(position, Integer.BYTES);
    return otherWindow.getInt(index);
  }

  @Override
  public long readLong(long position) throws IOException {
    long i = position - otherStart;
    if (isWithin(i, Long.BYTES, otherLimit) && file.isOpen()) {
      return otherWindow.getLong((int) i);
    }
    i = position - windowStart;
    if (isWithin(i, Long.BYTES, limit) && file.isOpen()) {
      return window.getLong((int) i);
    }
    int index = refillOther(position, Long.BYTES);
    return otherWindow.getLong(index);
  }

  @Override
  public void readBytes(long position, byte[] dst, int dstOffset, int count) throws IOException {
    Objects.checkFromIndexSize(dstOffset, count, dst.length);
    if (position < 0 || count > length - position) {
      throw outOfRange("read", position, count);
    }
    ensureOpen();
    while (count > 0) {
      int available;
      long i = position - otherStart;
      if (i >= 0 && i < otherLimit) {
        available = Math.min(otherLimit - (int) i, count);
        otherWindow.get((int) i, dst, dstOffset, available);
      } else if ((i = position - windowStart) >= 0 && i < limit) {
        available = Math.min(limit - (int) i, count);
        window.get((int) i, dst, dstOffset, available);
      } else if (count >= bufferSize) {
        available = count;
        file.readBytes(offset + position, dst, dstOffset, count, isJumping());
      } else {
        refillOther(position, Byte.BYTES);
        available = 0;
      }
      position += available;
      dstOffset += available;
      count -= available;
    }
  }

  @Override
  void reset(long position) {
    setWindow(NO_BYTES);
    moveTo(position);
    otherWindow = NO_BYTES;
    otherStart = 0;
    otherLimit = 0;
    readTo = NOTHING_READ;
    wanted = false;
    otherReadTo = NOTHING_READ;
    otherWanted = false;
  }

  @Override
  void shut() {
    limit = 0;
    otherLimit = 0;
  }

  @Override
  void applyPlan(ReadPlan plan) {
    // The buffers stay until they are next filled; their size follows bufferSize then.
    bufferSize = plan.bufferSize();
  }

  @Override
  boolean readsWholeBlocks() {
    return false;
  }

  @Override
  boolean isCached(long position, long count) {
    long i = position - windowStart;
    return i >= 0 && count <= limit - i;
  }

  // ---- filling the windows ----

  /**
   * Makes {@code count} bytes from the cursor on available in {@code window}.
   *
   * @param count at most 8
   * @return the index of the first of them in {@code window}, equal to {@code next}
   */
  private int refill(int count) throws IOException {
    long position = getFilePointer();
    checkRead(position, count);
    if (position >= otherStart && position + count <= otherStart + otherLimit) {
      swapWindows();
      next = (int) (position - windowStart);
      return next;
    }
    lookWhereItBegins(position);
    int reach = windowSize(position, windowStart + limit, wanted);
    long start = fillStart(position, count, reach);
    int size = (int) Math.min(reach, length - start);
    // The window is empty until it is filled, with the cursor where it was, whatever happens in
    // between.
    moveTo(position);
    setWindow(fitting(window, size));
    file.readBytes(offset + start, windowBytes, 0, size, isJumping() || wanted);
    windowStart = start;
    limit = size;
    readTo = start + size;
    next = (int) (position - start);
    return next;
  }

  /** Does what {@link #refill} does, for an absolute position and the other window. */
  private int refillOther(long position, int count) throws IOException {
    checkRead(position, count);
    if (!continues(position, otherReadTo)) {
      otherWanted = file.isWanted(offset + position);
    }
    int reach = windowSize(position, otherStart + otherLimit, otherWanted);
    long start = fillStart(position, count, reach);
    int size = (int) Math.min(reach, length - start);
    otherLimit = 0;
    otherWindow = fitting(otherWindow, size);
    byte[] bytes = otherWindow.array();
    file.readBytes(offset + start, bytes, 0, size, isJumping() || otherWanted);
    otherStart = start;
    otherLimit = size;
    otherReadTo = start + size;
    return (int) (position - start);
  }

  /**
   * Returns where the window for {@code position} starts: at a multiple of the buffer size in the
   * file, or at the position itself if the requested bytes would not end in that window.
   */
  private long fillStart(long position, int count, int size) {
    long filePosition = offset + position;
    long aligned = filePosition & -size;
    if (filePosition + count > aligned + size) {
      return position;
    }
    return Math.max(aligned - offset, 0);
  }

  /**
   * Returns how much to read: less where this input turns out to be read at random, whatever it was
   * opened for. Merges read that way when they build the graph of their vectors.
   *
   * @param end the end of the window so far
   * @param kept whether what is read stays in the cache, so that reading on is cheap
   */
  private int windowSize(long position, long end, boolean kept) {
    if (position >= end && position - end < bufferSize) {
      jumps = 0;
    } else if (jumps < MANY_JUMPS) {
      jumps++;
    }
    return isJumping() || kept ? Math.min(bufferSize, JUMPING_SIZE) : bufferSize;
  }

  /**
   * Finds out whether what is read from here on should be kept in the cache. A merge reads each
   * place once or twice. Where reads begin more often, it is a search that makes them, through a
   * reader that {@code IndexWriter} has kept from a merge: what they go on to read is then kept in
   * the cache.
   */
  private void lookWhereItBegins(long position) {
    if (!continues(position, readTo)) {
      wanted = file.isWanted(offset + position);
    }
  }

  private boolean continues(long position, long end) {
    return position >= end && position - end < bufferSize;
  }

  private boolean isJumping() {
    return jumps >= MANY_JUMPS;
  }

  private ByteBuffer fitting(ByteBuffer buffer, int size) {
    // A tiny slice gets a tiny buffer. A buffer that has grown with another context is replaced.
    return buffer.capacity() >= size && buffer.capacity() <= bufferSize
        ? buffer
        : littleEndian((int) Math.min(bufferSize, length));
  }

  private void setWindow(ByteBuffer buffer) {
    window = buffer;
    windowBytes = buffer.array();
  }

  private void swapWindows() {
    ByteBuffer bytes = window;
    long start = windowStart;
    int size = limit;
    setWindow(otherWindow);
    windowStart = otherStart;
    limit = otherLimit;
    otherWindow = bytes;
    otherStart = start;
    otherLimit = size;
    long end = readTo;
    readTo = otherReadTo;
    otherReadTo = end;
    boolean was = wanted;
    wanted = otherWanted;
    otherWanted = was;
  }

  /**
   * Returns whether {@code size} bytes from index {@code i} on lie below {@code limit}. One
   * unsigned comparison covers both ends, and the compiler merges it with the array's own check; it
   * is a quarter faster than two comparisons.
   */
  private static boolean isWithin(long i, int size, int limit) {
    return Long.compareUnsigned(i, Math.max(0, limit - (size - 1))) < 0;
  }

  /** Moves the cursor out of its window, to a position that is known to be legal. */
  private void moveTo(long position) {
    windowStart = position;
    next = 0;
    limit = 0;
  }

  private static ByteBuffer littleEndian(int size) {
    return ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
  }
}
