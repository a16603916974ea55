/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.load;

import java.util.SplittableRandom;

/**
 * Offsets of blocks to read: all alike, or by a Zipf distribution whose frequent blocks are spread
 * over the file, the same ones for every thread and directory. One thread.
 */
public final class Positions {
  private static final long SCRAMBLE_SEED = 0x6c7563656e65L;

  private final long blocks;
  private final int bytes;
  private final SplittableRandom random;
  private final Zipf zipf;
  private final Scramble scramble;

  /**
   * @param length of the file in bytes
   * @param bytes of a block
   * @param exponent of the Zipf distribution, or 0 for all blocks alike
   * @param random the thread's own
   */
  public Positions(long length, int bytes, double exponent, SplittableRandom random) {
    this.blocks = length / bytes;
    this.bytes = bytes;
    this.random = random;
    this.zipf = exponent > 0 ? new Zipf(blocks, exponent) : null;
    this.scramble = new Scramble(blocks, SCRAMBLE_SEED);
  }

  /** The next offset in bytes, a multiple of the block. */
  public long next() {
    long block = zipf == null ? random.nextLong(blocks) : scramble.of(zipf.next(random) - 1);
    return block * bytes;
  }
}
