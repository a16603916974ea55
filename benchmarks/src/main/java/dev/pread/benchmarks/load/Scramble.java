/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.load;

/**
 * A permutation of 0 to n-1 that scatters neighbours: so ranks become blocks all over the file,
 * each rank another block. It mixes numbers of as many bits as n needs by steps that can be undone,
 * and goes on until the result is below n ("cycle walking": a permutation of a set, followed from
 * one of its members until it comes back to a part of the set, is one of that part). Immutable.
 */
public final class Scramble {
  private final long n;
  private final long mask;
  private final int shift;
  private final long odd;
  private final long odd2;
  private final long plus;

  /**
   * @param n number of items, from 1 to 2^62
   * @param seed gives other permutations
   */
  public Scramble(long n, long seed) {
    if (n < 1 || n > 1L << 62) {
      throw new IllegalArgumentException("n=" + n + " must be from 1 to 2^62");
    }
    int bits = Math.max(2, Long.SIZE - Long.numberOfLeadingZeros(n - 1));
    this.n = n;
    this.mask = (1L << bits) - 1;
    this.shift = bits / 2;
    this.odd = DataPattern.word(seed) | 1;
    this.odd2 = DataPattern.word(~seed) | 1;
    this.plus = DataPattern.word(seed ^ 0x5DEECE66DL);
  }

  /** Where an item goes. */
  public long of(long item) {
    long x = item;
    do {
      x = (x + plus) & mask;
      x = (x * odd) & mask;
      x ^= x >>> shift;
      x = (x * odd2) & mask;
      x ^= x >>> shift;
      x = (x * odd) & mask;
      x ^= x >>> shift;
    } while (x >= n);
    return x;
  }
}
