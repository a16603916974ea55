/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.index;

import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.IntPoint;
import org.apache.lucene.document.KnnFloatVectorField;
import org.apache.lucene.document.NumericDocValuesField;
import org.apache.lucene.document.StoredField;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.VectorSimilarityFunction;
import org.apache.lucene.util.VectorUtil;

/** Makes the documents of a built index. */
final class TextDocuments {
  private static final int DIMENSIONS = 64;
  private static final Pattern WORD = Pattern.compile("[\\p{L}\\p{Nd}]+");

  private TextDocuments() {}

  /**
   * Makes the document of one chunk: its key; its words, with positions; its text, stored; doc
   * values that have no points beside them, so that a sort has to read them; points; and a vector.
   */
  static Document of(TextFeed.Chunk chunk) {
    String text = chunk.text();
    Set<String> words = new HashSet<>();
    int count = 0;
    for (Matcher word = WORD.matcher(text.toLowerCase(Locale.ROOT)); word.find(); count++) {
      words.add(word.group());
    }
    Document doc = new Document();
    doc.add(new StringField("id", chunk.file() + "#" + chunk.line(), Field.Store.YES));
    doc.add(new TextField("body", text, Field.Store.NO));
    doc.add(new StoredField("source", text));
    doc.add(new NumericDocValuesField("words", count));
    doc.add(new IntPoint("length", text.length()));
    float[] vector = vector(words);
    if (VectorUtil.dotProduct(vector, vector) > 0) {
      VectorUtil.l2normalize(vector);
      doc.add(new KnnFloatVectorField("vector", vector, VectorSimilarityFunction.DOT_PRODUCT));
    }
    return doc;
  }

  /**
   * Turns words into a vector without any model, by a random projection: each word's hash has as
   * many bits as there are dimensions, and each bit adds or subtracts one in its dimension, so that
   * texts that share words lie close together. This is the sign variant of Achlioptas,
   * "Database-friendly random projections" (2003).
   */
  static float[] vector(Set<String> words) {
    float[] sums = new float[DIMENSIONS];
    for (String word : words) {
      long bits = new SplittableRandom(word.hashCode()).nextLong();
      for (int d = 0; d < DIMENSIONS; d++) {
        sums[d] += 1 - ((bits >>> d & 1) << 1);
      }
    }
    return sums;
  }
}
