/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import java.io.ByteArrayOutputStream;
import java.util.BitSet;

/**
 * A set of blocks in a few bytes: how many blocks to skip and how many to take, in turns, each
 * number in groups of seven bits, the lowest first. A file that is there as a whole takes a handful
 * of bytes, and blocks here and there take two or three each. It is immutable.
 */
public final class BlockRuns {

  private static final int GROUP = 7;
  private static final int CONTINUATION_BIT = 1 << GROUP;

  private final byte[] bytes;

  private BlockRuns(byte[] bytes) {
    this.bytes = bytes;
  }

  /** Returns the set that these bytes stand for, if they stand for one: {@link #blocks} tells. */
  public static BlockRuns ofBytes(byte[] bytes) {
    return new BlockRuns(bytes.clone());
  }

  /** Returns this set of blocks. */
  static BlockRuns of(BitSet blocks) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    int end = 0;
    for (int first = blocks.nextSetBit(0); first >= 0; first = blocks.nextSetBit(end)) {
      write(bytes, first - end);
      end = blocks.nextClearBit(first);
      write(bytes, end - first);
    }
    return new BlockRuns(bytes.toByteArray());
  }

  private static void write(ByteArrayOutputStream bytes, int number) {
    while (number >= CONTINUATION_BIT) {
      bytes.write((number & (CONTINUATION_BIT - 1)) | CONTINUATION_BIT);
      number >>>= GROUP;
    }
    bytes.write(number);
  }

  /** Returns its bytes. */
  public byte[] toBytes() {
    return bytes.clone();
  }

  /** Returns how many bytes it has. */
  public int size() {
    return bytes.length;
  }

  /**
   * Returns its blocks.
   *
   * @param limit how many blocks the file has
   * @return null if its bytes are not those of a set of blocks of the file
   */
  BitSet blocks(int limit) {
    BitSet blocks = new BitSet();
    int at = 0;
    boolean isTaken = false;
    int i = 0;
    while (i < bytes.length) {
      long number = 0;
      int shift = 0;
      boolean hasMore = true;
      while (hasMore) {
        if (i == bytes.length || shift >= Integer.SIZE) {
          return null;
        }
        number |= (long) (bytes[i] & (CONTINUATION_BIT - 1)) << shift;
        hasMore = bytes[i++] < 0;
        shift += GROUP;
      }
      if (number > limit - at) {
        return null;
      }
      if (isTaken) {
        blocks.set(at, at + (int) number);
      }
      at += (int) number;
      isTaken = !isTaken;
    }
    return blocks;
  }
}
