/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.load;

import java.util.SplittableRandom;
import java.util.function.LongSupplier;
import org.apache.commons.rng.UniformRandomProvider;
import org.apache.commons.rng.sampling.distribution.RejectionInversionZipfSampler;

/**
 * Offsets of blocks to read: all alike, or by a Zipf distribution whose frequent blocks are spread
 * over the file, the same ones for every thread and directory. One thread.
 */
public final class Positions {
  private static final long SCRAMBLE_SEED = 0x6c7563656e65L;

  private final LongSupplier block;
  private final int bytes;

  /**
   * @param length of the file in bytes
   * @param bytes of a block
   * @param exponent of the Zipf distribution, or 0 for all blocks alike
   * @param random the thread's own
   */
  public Positions(long length, int bytes, double exponent, SplittableRandom random) {
    long blocks = length / bytes;
    this.bytes = bytes;
    if (exponent > 0) {
      UniformRandomProvider source = random::nextLong;
      var zipf =
          RejectionInversionZipfSampler.of(source, Math.toIntExact(blocks), exponent);
      Scramble scramble = new Scramble(blocks, SCRAMBLE_SEED);
      this.block = () -> scramble.of(zipf.sample() - 1L);
    } else {
      this.block = () -> random.nextLong(blocks);
    }
  }

  /** The next offset in bytes, a multiple of the block. */
  public long next() {
    return block.getAsLong() * bytes;
  }
}
