/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.index;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.apache.lucene.util.VectorUtil;
import org.junit.jupiter.api.Test;

/** Like texts have like vectors. */
class WordVectorTest {
  private static final String TEXT = "One two three, one more; und noch sieben Woerter dazu.";

  @Test
  void hasLengthOneAndCountsWords() {
    WordVector vector = WordVector.of(TEXT);
    assertEquals(10, vector.words());
    assertTrue(VectorUtil.isUnitVector(vector.vector()));
  }

  @Test
  void isTheSameForTheSameWords() {
    assertArrayEquals(WordVector.of("b B, a").vector(), WordVector.of("a\nb").vector());
  }

  @Test
  void isCloserToTextsThatShareWords() {
    float[] vector = WordVector.of(TEXT).vector();
    float[] alike = WordVector.of(TEXT.replace("sieben", "acht")).vector();
    float[] other = WordVector.of("nothing of all this is found in there at any place").vector();
    assertTrue(VectorUtil.dotProduct(vector, alike) > VectorUtil.dotProduct(vector, other) + 0.2f);
  }

  @Test
  void isMissingWithoutWords() {
    assertNull(WordVector.of(" {}; \n").vector());
    assertEquals(0, WordVector.of("").words());
  }
}
