/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.index;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.apache.lucene.document.Document;
import org.apache.lucene.document.KnnFloatVectorField;
import org.apache.lucene.util.VectorUtil;
import org.junit.jupiter.api.Test;

/** Like texts have like vectors. */
class TextDocumentsTest {
  private static final String TEXT = "One two three, one more; und noch sieben Woerter dazu.";

  private static Document document(String text) {
    return TextDocuments.of(new TextFeed.Chunk(0, 0, "file", 1, text));
  }

  private static float[] vector(String text) {
    return ((KnnFloatVectorField) document(text).getField("vector")).vectorValue();
  }

  @Test
  void vectorHasLengthOneAndIsTheSameForTheSameWords() {
    assertTrue(VectorUtil.isUnitVector(vector(TEXT)));
    assertArrayEquals(vector("b B, a"), vector("a\nb"));
  }

  @Test
  void vectorIsCloserToTextsThatShareWords() {
    float[] alike = vector(TEXT.replace("sieben", "acht"));
    float[] other = vector("nothing of all this is found in there at any place");
    assertTrue(
        VectorUtil.dotProduct(vector(TEXT), alike)
            > VectorUtil.dotProduct(vector(TEXT), other) + 0.2f);
  }

  @Test
  void thereIsNoVectorWithoutWords() {
    assertNull(document(" {}; \n").getField("vector"));
  }
}
