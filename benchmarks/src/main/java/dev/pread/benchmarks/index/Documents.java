/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.index;

import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.IntPoint;
import org.apache.lucene.document.KnnFloatVectorField;
import org.apache.lucene.document.NumericDocValuesField;
import org.apache.lucene.document.StoredField;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.VectorSimilarityFunction;

/** Makes the documents of a built index. */
final class Documents {
  private Documents() {}

  /**
   * A document of one chunk: its key; its words, with positions; its text, stored; doc values that
   * have no points beside them, so that a sort has to read them; points; and a vector.
   */
  static Document of(String id, String text) {
    WordVector words = WordVector.of(text);
    Document doc = new Document();
    doc.add(new StringField("id", id, Field.Store.YES));
    doc.add(new TextField("body", text, Field.Store.NO));
    doc.add(new StoredField("source", text));
    doc.add(new NumericDocValuesField("words", words.words()));
    doc.add(new IntPoint("length", text.length()));
    if (words.vector() != null) {
      doc.add(
          new KnnFloatVectorField("vector", words.vector(), VectorSimilarityFunction.DOT_PRODUCT));
    }
    return doc;
  }
}
