/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

import java.nio.ByteBuffer;
import java.nio.ReadOnlyBufferException;
import java.util.Arrays;
import java.util.Objects;

/**
 * A reusable list of pieces of native memory for one vectored call such as {@link Posix#preadv}.
 * Backends extend it with what the call needs beside the pieces (the {@code iovec}s, room for
 * errno).
 *
 * <p><b>Contract.</b> Pieces are filled in the order in which they were added. {@link #skip} drops
 * what has been filled, so that a short call can be continued with the same vector.
 *
 * <p><b>Ownership.</b> The memory stays the caller's; it is kept reachable until its piece is
 * skipped or the vector cleared.
 *
 * <p>Not thread-safe: one thread at a time.
 */
public abstract class IoVector {

  /** {@code UIO_MAXIOV}: more pieces Linux does not take in one call. */
  private static final int MAX_PIECES = 1024;

  private final ByteBuffer[] memories;
  private final int[] offsets;
  private final int[] lengths;
  private int first;
  private int end;
  private int length;

  /**
   * For backends.
   *
   * @param capacity pieces, from 1 to 1024
   */
  protected IoVector(int capacity) {
    if (capacity < 1 || capacity > MAX_PIECES) {
      throw new IllegalArgumentException(
          "a vector has from 1 to " + MAX_PIECES + " pieces, got " + capacity);
    }
    memories = new ByteBuffer[capacity];
    offsets = new int[capacity];
    lengths = new int[capacity];
  }

  /** How many pieces can be added to an empty vector. */
  public final int capacity() {
    return memories.length;
  }

  /** How many pieces there are. */
  public final int size() {
    return end - first;
  }

  /** The bytes of all pieces together. */
  public final int length() {
    return length;
  }

  /** Drops all pieces. */
  public final void clear() {
    Arrays.fill(memories, first, end, null);
    first = 0;
    end = 0;
    length = 0;
  }

  /**
   * Adds {@code memory[offset, offset + length)} as the last piece; nothing where {@code length} is
   * 0. The buffer's position does not matter, and nothing of it is changed.
   *
   * @param memory a direct buffer, for example from {@link Posix#map} or {@link NativeBuffer#bytes}
   * @throws IllegalStateException if {@link #capacity} pieces have been added since the vector was
   *     last empty
   * @throws IllegalArgumentException if {@code memory} is not direct, or if the vector would have 2
   *     GiB or more
   * @throws ReadOnlyBufferException if {@code memory} is read-only
   * @throws IndexOutOfBoundsException if the range is not within the buffer's limit
   */
  public final void add(ByteBuffer memory, int offset, int length) {
    Objects.checkFromIndexSize(offset, length, memory.limit());
    if (length == 0) {
      return;
    }
    if (end == memories.length) {
      throw new IllegalStateException(
          "the vector is full: " + memories.length + " pieces have been added");
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
    put(end, memory, offset, length);
    end++;
    this.length += length;
  }

  /**
   * Drops {@code bytes} bytes from the front: pieces that lie in them go, the next is shortened.
   *
   * @throws IndexOutOfBoundsException if there are not so many
   */
  public final void skip(int bytes) {
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
    describe(place, memory, offset, length);
    memories[place] = memory;
    offsets[place] = offset;
    lengths[place] = length;
  }

  /**
   * Writes down for the call what piece {@code place} is. Called when it is added, and again when
   * it is shortened.
   *
   * @param place from 0, below {@link #capacity}
   */
  protected abstract void describe(int place, ByteBuffer memory, int offset, int length);

  /** The place of the first piece; the others follow. */
  protected final int first() {
    return first;
  }

  /** The memory of the piece at {@code place}, null where there is none. */
  protected final ByteBuffer memory(int place) {
    return memories[place];
  }

  /** Where in its memory the piece at {@code place} starts. */
  protected final int offset(int place) {
    return offsets[place];
  }

  /** The bytes of the piece at {@code place}. */
  protected final int length(int place) {
    return lengths[place];
  }

  @Override
  public final String toString() {
    return "IoVector(size=" + size() + ", length=" + length + ")";
  }
}
