/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import java.nio.ByteBuffer;

/**
 * The slots that one read fills, as pieces of memory. Neighbouring slots are one piece. It is not
 * thread-safe.
 */
public final class FillTarget {

  /** The largest number of pieces that one read has. */
  public static final int MAX_PIECES = 64;

  private final ByteBuffer[] memory = new ByteBuffer[MAX_PIECES];
  private final int[] offsets = new int[MAX_PIECES];
  private final int[] lengths = new int[MAX_PIECES];
  private int size;

  FillTarget() {}

  @SuppressWarnings("ReferenceEquality") // Equal buffers are not neighbours.
  void add(ByteBuffer buffer, int offset, int length) {
    int last = size - 1;
    if (last >= 0 && memory[last] == buffer && offsets[last] + lengths[last] == offset) {
      lengths[last] += length;
      return;
    }
    memory[size] = buffer;
    offsets[size] = offset;
    lengths[size] = length;
    size++;
  }

  /** Returns how many pieces there are. */
  public int size() {
    return size;
  }

  /** Returns the direct buffer that piece {@code i} lies in. */
  public ByteBuffer memory(int i) {
    return memory[i];
  }

  /** Returns where in its buffer piece {@code i} begins, which is a multiple of the block size. */
  public int offset(int i) {
    return offsets[i];
  }

  /** Returns how many bytes piece {@code i} has, which is a multiple of the block size. */
  public int length(int i) {
    return lengths[i];
  }
}
