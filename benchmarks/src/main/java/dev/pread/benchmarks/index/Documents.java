/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.index;

import java.io.IOException;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.IntPoint;
import org.apache.lucene.document.KnnFloatVectorField;
import org.apache.lucene.document.NumericDocValuesField;
import org.apache.lucene.document.StoredField;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.FieldInfos;
import org.apache.lucene.index.IndexReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.Term;
import org.apache.lucene.index.VectorSimilarityFunction;

/** Makes the documents of a built index, of a text or of what the index has stored of one. */
public final class Documents {
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

  /** Whether an index was built by {@link IndexBuilder}, so that its documents can be updated. */
  public static boolean canBeUpdated(IndexReader reader) {
    FieldInfos fields = FieldInfos.getMergedFieldInfos(reader);
    return fields.fieldInfo(Fields.ID) != null
        && fields.fieldInfo(Fields.SOURCE) != null
        && fields.fieldInfo(Fields.BODY) != null;
  }

  /** Replaces a document by the same text, as an update of something else in it would. */
  public static void update(IndexWriter writer, IndexReader reader, int doc) throws IOException {
    Document stored = reader.storedFields().document(doc);
    String id = stored.get(Fields.ID);
    writer.updateDocument(new Term(Fields.ID, id), of(id, stored.get(Fields.SOURCE)));
  }
}
