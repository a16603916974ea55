/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import dev.pread.benchmarks.load.DataPattern;
import java.io.IOException;
import java.util.SplittableRandom;

/**
 * What one operation is: sixteen reads of whole blocks into an array. The same code reads when it
 * is measured and when every byte is checked. One thread.
 */
final class Kernel {
  /** Of an operation. */
  static final int READS = 16;

  private final Source.BlockReader reader;
  private final Order order;
  private final long blocks;
  private final SplittableRandom random;
  private final byte[] block;
  private final long[] positions = new long[READS];
  private long next;

  /**
   * @param reader of a file of {@link DataPattern}
   * @param order of the reads
   * @param length of the file; what is left over behind its last whole block is not read
   * @param bytes of a block
   * @param random draws the positions
   */
  Kernel(Source.BlockReader reader, Order order, long length, int bytes, SplittableRandom random) {
    this.reader = reader;
    this.order = order;
    this.blocks = length / bytes;
    this.random = random;
    this.block = new byte[bytes];
    if (blocks < READS) {
      throw new IllegalArgumentException(
          "a file of " + length + " bytes has no " + READS + " blocks of " + bytes);
    }
  }

  /**
   * One operation.
   *
   * @param check whether to compare every word of every block with what it should be
   * @return the last block
   * @throws WrongBytesException if it is not what the file has there
   */
  byte[] run(boolean check) throws IOException {
    choose();
    reader.prefetch(positions, block.length);
    for (long position : positions) {
      reader.read(position, block);
      if (check) {
        DataPattern.checkAll(block, position);
      }
    }
    return block;
  }

  private void choose() {
    if (order == Order.RANDOM) {
      for (int i = 0; i < READS; i++) {
        positions[i] = random.nextLong(blocks) * block.length;
      }
    } else {
      long first = order == Order.FILE ? follow() : random.nextLong(blocks - READS + 1);
      for (int i = 0; i < READS; i++) {
        positions[i] = (first + i) * block.length;
      }
    }
  }

  private long follow() {
    long first = next + READS > blocks ? 0 : next;
    next = first + READS;
    return first;
  }

  /** Reads every whole block of the first bytes once, one after the other. */
  void readAll(long length) throws IOException {
    long end = Math.min(blocks, length / block.length);
    for (long i = 0; i < end; i++) {
      reader.read(i * block.length, block);
    }
  }
}
