/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.index;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Turns a text into a unit vector without any model: a random projection of its set of words. Each
 * word's hash has {@link #DIMENSIONS} bits, each bit adds or subtracts one in its dimension, so
 * texts that share words lie close together and the same text always gets the same vector. This is
 * the sign variant of random projections by Achlioptas, "Database-friendly random projections"
 * (2003).
 */
final class WordVector {
  static final int DIMENSIONS = 64;
  private static final Pattern WORD = Pattern.compile("[\\p{L}\\p{Nd}]+");

  private final int words;
  private final float[] vector;

  private WordVector(int words, float[] vector) {
    this.words = words;
    this.vector = vector;
  }

  /** Projects the words of a text, in any case; a word is letters and digits. */
  static WordVector of(String text) {
    Set<String> seen = new HashSet<>();
    int[] sums = new int[DIMENSIONS];
    int words = 0;
    for (Matcher word = WORD.matcher(text.toLowerCase(Locale.ROOT)); word.find(); words++) {
      if (seen.add(word.group())) {
        long bits = new SplittableRandom(word.group().hashCode()).nextLong();
        for (int d = 0; d < DIMENSIONS; d++) {
          sums[d] += 1 - (int) ((bits >>> d & 1) << 1);
        }
      }
    }
    double length = Math.sqrt(Arrays.stream(sums).asDoubleStream().map(sum -> sum * sum).sum());
    float[] vector = length == 0 ? null : new float[DIMENSIONS];
    for (int d = 0; d < DIMENSIONS && vector != null; d++) {
      vector[d] = (float) (sums[d] / length);
    }
    return new WordVector(words, vector);
  }

  /** How many words there are, repetitions included. */
  int words() {
    return words;
  }

  /** A vector of length one, the caller's to keep; null if there is no word, or no direction. */
  float[] vector() {
    return vector;
  }
}
