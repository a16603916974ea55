/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.ReadOnlyBufferException;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.ToLongFunction;

/**
 * A reusable list of pieces of native memory for one vectored call such as {@link
 * SystemCalls#preadv}. For backends that pass addresses, the {@code iovec}s are written as pieces
 * are added, so that a call allocates nothing and copies nothing.
 *
 * <p><b>Contract.</b> Pieces are filled in the order in which they were added. {@link #skip} drops
 * what has been filled, so that a short call can be continued with the same vector.
 *
 * <p><b>Ownership.</b> The memory remains the caller's; it is kept reachable until its piece is
 * skipped or the vector is cleared.
 *
 * <p>This class is not thread-safe: only one thread at a time may use an instance.
 */
public final class IoVector implements ReadTarget {

  /** {@code UIO_MAXIOV}: Linux takes no more pieces than this in one call. */
  private static final int MAX_PIECES = 1024;

  /** {@code sizeof(struct iovec)} on 64 bits: an address and a length. */
  private static final int IOVEC_SIZE = 2 * Long.BYTES;

  private final ByteBuffer[] memories;
  private final int[] offsets;
  private final int[] lengths;
  private int first;
  private int end;
  private int length;

  private final ToLongFunction<ByteBuffer> addresses;
  private final Object callState;
  private final ByteBuffer iovecs;
  private final long iovecsAddress;

  // The address of the memory that the piece at this place lies in; neighbours often share it.
  private int lastPlace = -1;
  private long lastAddress;

  /**
   * Creates a vector. A backend takes its pieces as addresses or as buffers. While a call has the
   * address of the {@code iovec}s, the backend must keep this object reachable, which keeps their
   * memory and that of the pieces reachable.
   *
   * @param capacity the number of pieces it has room for, from 1 to 1024
   * @param addresses returns the address of a buffer's first byte, whatever its position, or null
   *     for a backend that takes buffers
   * @param callState what else the backend needs for each call, or null for nothing
   */
  public IoVector(int capacity, ToLongFunction<ByteBuffer> addresses, Object callState) {
    if (capacity < 1 || capacity > MAX_PIECES) {
      throw new IllegalArgumentException(
          "a vector has from 1 to " + MAX_PIECES + " pieces, got " + capacity);
    }
    memories = new ByteBuffer[capacity];
    offsets = new int[capacity];
    lengths = new int[capacity];
    this.addresses = addresses;
    this.callState = callState;
    if (addresses == null) {
      iovecs = null;
      iovecsAddress = 0;
    } else {
      iovecs = ByteBuffer.allocateDirect(capacity * IOVEC_SIZE).order(ByteOrder.nativeOrder());
      iovecsAddress = addresses.applyAsLong(iovecs);
    }
  }

  /** Returns how many pieces can be added to an empty vector. */
  int capacity() {
    return memories.length;
  }

  /** Returns the number of pieces. */
  public int size() {
    return end - first;
  }

  /** Returns the length of all pieces together, in bytes. */
  public int length() {
    return length;
  }

  /** Drops all pieces. */
  void clear() {
    Arrays.fill(memories, first, end, null);
    first = 0;
    end = 0;
    length = 0;
  }

  /**
   * Adds {@code memory[offset, offset + length)} as the last piece, or nothing if {@code length} is
   * 0. If it follows the last piece in the same buffer, the two become one piece. The buffer's
   * position does not matter, and the buffer is not changed.
   *
   * @param memory a direct buffer, for example from {@link SystemCalls#map} or {@link
   *     NativeBuffer#bytes}
   * @throws IllegalStateException if there have been {@link #capacity} pieces since the vector was
   *     last empty
   * @throws IllegalArgumentException if {@code memory} is not direct, or if the vector would hold 2
   *     GiB or more
   * @throws ReadOnlyBufferException if {@code memory} is read-only
   * @throws IndexOutOfBoundsException if the range is not within the buffer's limit
   */
  @SuppressWarnings("ReferenceEquality") // Equal buffers are not neighbours.
  public void add(ByteBuffer memory, int offset, int length) {
    Objects.checkFromIndexSize(offset, length, memory.limit());
    if (length == 0) {
      return;
    }
    if (!memory.isDirect()) {
      throw new IllegalArgumentException("a vector needs direct memory, got " + memory);
    }
    if (memory.isReadOnly()) {
      throw new ReadOnlyBufferException();
    }
    if (length > Integer.MAX_VALUE - this.length) {
      throw new IllegalArgumentException(
          "a vector has less than 2 GiB, got " + length + " more than " + this.length + " bytes");
    }
    int last = end - 1;
    if (last >= first && memories[last] == memory && offsets[last] + lengths[last] == offset) {
      put(last, memory, offsets[last], lengths[last] + length);
    } else if (end == memories.length) {
      throw new IllegalStateException(
          "the vector is full: " + memories.length + " pieces have been added");
    } else {
      put(end, memory, offset, length);
      end++;
    }
    this.length += length;
  }

  /**
   * Drops {@code bytes} bytes from the front: pieces that lie within them are removed, and the next
   * one is shortened.
   *
   * @throws IndexOutOfBoundsException if there are not that many
   */
  public void skip(int bytes) {
    Objects.checkFromIndexSize(0, bytes, length);
    int left = bytes;
    while (left > 0) {
      int n = lengths[first];
      if (left < n) {
        put(first, memories[first], offsets[first] + left, n - left);
        break;
      }
      memories[first++] = null;
      left -= n;
    }
    length -= bytes;
    if (first == end) {
      first = 0;
      end = 0;
    }
  }

  private void put(int place, ByteBuffer memory, int offset, int length) {
    if (addresses != null) {
      writeIovec(place, memory, offset, length);
    }
    memories[place] = memory;
    offsets[place] = offset;
    lengths[place] = length;
  }

  @SuppressWarnings("ReferenceEquality") // equals would compare the contents.
  private void writeIovec(int place, ByteBuffer memory, int offset, int length) {
    if (lastPlace < 0 || memories[lastPlace] != memory) {
      lastAddress = addresses.applyAsLong(memory);
    }
    lastPlace = place;
    iovecs.putLong(place * IOVEC_SIZE, lastAddress + offset);
    iovecs.putLong(place * IOVEC_SIZE + Long.BYTES, length);
  }

  /** Returns the address of the first piece's {@code iovec}; the others follow. */
  public long iovecs() {
    return iovecsAddress + (long) first * IOVEC_SIZE;
  }

  /** Returns what the backend has passed to {@link #IoVector(int, ToLongFunction, Object)}. */
  public Object callState() {
    return callState;
  }

  /** Returns the place of the first piece; the others follow. */
  public int first() {
    return first;
  }

  /** Returns the memory of the piece at {@code place}, or null if there is none. */
  public ByteBuffer memory(int place) {
    return memories[place];
  }

  /** Returns where in its memory the piece at {@code place} starts. */
  public int offset(int place) {
    return offsets[place];
  }

  /** Returns the length in bytes of the piece at {@code place}. */
  public int length(int place) {
    return lengths[place];
  }

  @Override
  public String toString() {
    return "IoVector(size=" + size() + ", length=" + length + ")";
  }
}
