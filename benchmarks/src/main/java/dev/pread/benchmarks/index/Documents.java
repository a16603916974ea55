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

  static Document of(String id, String text) {
    WordVector words = WordVector.of(text);
    Document doc = new Document();
    doc.add(new StringField(Fields.ID, id, Field.Store.YES));
    doc.add(new TextField(Fields.BODY, text, Field.Store.NO));
    doc.add(new StoredField(Fields.SOURCE, text));
    doc.add(new NumericDocValuesField(Fields.WORDS, words.words()));
    doc.add(new IntPoint(Fields.LENGTH, text.length()));
    if (words.vector() != null) {
      doc.add(
          new KnnFloatVectorField(
              Fields.VECTOR, words.vector(), VectorSimilarityFunction.DOT_PRODUCT));
    }
    return doc;
  }
}
