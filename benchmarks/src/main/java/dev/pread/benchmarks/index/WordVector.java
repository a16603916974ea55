/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.index;

import java.util.HashSet;
import java.util.Set;

/**
 * Turns a text into a unit vector without any model: a random projection of its set of words. Each
 * word's hash has {@link #DIMENSIONS} bits, each bit adds or subtracts one in its dimension, so
 * texts that share words lie close together and the same text always gets the same vector. This is
 * the sign variant of random projections by Achlioptas, "Database-friendly random projections"
 * (2003).
 */
final class WordVector {
  static final int DIMENSIONS = 64;

  private final int words;
  private final float[] vector;

  private WordVector(int words, float[] vector) {
    this.words = words;
    this.vector = vector;
  }

  /** Projects the words of a text, in any case; a word is letters and digits. */
  static WordVector of(String text) {
    Set<Long> seen = new HashSet<>();
    int[] sums = new int[DIMENSIONS];
    int words = 0;
    int i = 0;
    while (i < text.length()) {
      long hash = 0;
      for (; i < text.length() && Character.isLetterOrDigit(text.charAt(i)); i++) {
        hash = 31 * hash + Character.toLowerCase(text.charAt(i)) + 1;
      }
      if (hash != 0) {
        words++;
        if (seen.add(hash)) {
          add(mix(hash), sums);
        }
      }
      i++;
    }
    return new WordVector(words, normalize(sums));
  }

  /** How many words there are, repetitions included. */
  int words() {
    return words;
  }

  /** A vector of length one, the caller's to keep; null if there is no word, or no direction. */
  float[] vector() {
    return vector;
  }

  private static void add(long bits, int[] sums) {
    for (int d = 0; d < DIMENSIONS; d++) {
      sums[d] += 1 - (int) ((bits >>> d & 1) << 1);
    }
  }

  private static float[] normalize(int[] sums) {
    double squares = 0;
    for (int sum : sums) {
      squares += (double) sum * sum;
    }
    if (squares == 0) {
      return null;
    }
    double length = Math.sqrt(squares);
    float[] vector = new float[DIMENSIONS];
    for (int d = 0; d < DIMENSIONS; d++) {
      vector[d] = (float) (sums[d] / length);
    }
    return vector;
  }

  /** Spreads the hash over all 64 bits: the finalizer of Steele, Lea and Flood's SplitMix. */
  private static long mix(long hash) {
    long z = hash * 0x9E3779B97F4A7C15L;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }
}
