/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.index;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.ToLongBiFunction;
import org.apache.lucene.index.DocValuesSkipIndexType;
import org.apache.lucene.index.DocValuesType;
import org.apache.lucene.index.FieldInfo;
import org.apache.lucene.index.FieldInfos;
import org.apache.lucene.index.FloatVectorValues;
import org.apache.lucene.index.IndexOptions;
import org.apache.lucene.index.IndexReader;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.PointValues;
import org.apache.lucene.index.Terms;
import org.apache.lucene.index.VectorEncoding;

/**
 * Which field of an index suits which kind of query, judged by how the fields are indexed and not
 * by their names. A null means that the index has none.
 *
 * @param text the field with the most postings that has frequencies, else the most postings
 * @param key a field whose terms each have one document
 * @param sort a numeric doc values field
 * @param range a one-dimensional point field
 * @param vector a field of float vectors
 */
record FieldChoice(
    FieldInfo text, FieldInfo key, FieldInfo sort, FieldInfo range, FieldInfo vector) {

  /** Of all terms of a key field, so many may belong to a second document: leftovers of updates. */
  private static final double MAX_DUPLICATES = 1.05;

  /** What all segments together have of a field. */
  private record Content(long postings, long terms, long points, long vectors) {
    static Content of(IndexReader reader, FieldInfo field) throws IOException {
      long postings = 0;
      long distinct = 0;
      long vectors = 0;
      for (LeafReaderContext leaf : reader.leaves()) {
        Terms terms = leaf.reader().terms(field.name);
        if (terms != null) {
          postings += terms.getSumDocFreq();
          distinct += Math.max(0, terms.size());
        }
        if (field.getVectorDimension() > 0 && field.getVectorEncoding() == VectorEncoding.FLOAT32) {
          FloatVectorValues values = leaf.reader().getFloatVectorValues(field.name);
          vectors += values == null ? 0 : values.size();
        }
      }
      long points = field.getPointDimensionCount() == 1 ? PointValues.size(reader, field.name) : 0;
      return new Content(postings, distinct, points, vectors);
    }
  }

  static FieldChoice of(IndexReader reader) throws IOException {
    Map<FieldInfo, Content> fields = new LinkedHashMap<>();
    for (FieldInfo field : FieldInfos.getMergedFieldInfos(reader)) {
      fields.put(field, Content.of(reader, field));
    }
    FieldInfo sort = best(fields, (field, content) -> sortFit(field));
    FieldInfo range = best(fields, (field, content) -> content.points());
    FieldInfo vector = best(fields, (field, content) -> content.vectors());
    FieldInfo key = best(fields, FieldChoice::keys);
    fields.remove(key);
    FieldInfo text = best(fields, (field, content) -> hasFrequencies(field) * content.postings());
    if (text == null) {
      text = best(fields, (field, content) -> content.postings());
    }
    return new FieldChoice(text, key, sort, range, vector);
  }

  /** The field with the most, zero meaning that it does not suit. */
  private static FieldInfo best(
      Map<FieldInfo, Content> fields, ToLongBiFunction<FieldInfo, Content> fit) {
    FieldInfo best = null;
    long most = 0;
    for (Map.Entry<FieldInfo, Content> field : fields.entrySet()) {
      long has = fit.applyAsLong(field.getKey(), field.getValue());
      if (has > most) {
        best = field.getKey();
        most = has;
      }
    }
    return best;
  }

  private static int hasFrequencies(FieldInfo field) {
    return field.getIndexOptions().compareTo(IndexOptions.DOCS_AND_FREQS) >= 0 ? 1 : 0;
  }

  private static long keys(FieldInfo field, Content content) {
    boolean unique = content.postings() <= MAX_DUPLICATES * content.terms();
    return field.getIndexOptions() == IndexOptions.DOCS && unique ? content.postings() : 0;
  }

  /** Prefers fields without points or skip lists: a sort by those may never read doc values. */
  private static long sortFit(FieldInfo field) {
    DocValuesType type = field.getDocValuesType();
    boolean numeric = type == DocValuesType.NUMERIC || type == DocValuesType.SORTED_NUMERIC;
    if (!numeric || field.isSoftDeletesField()) {
      return 0;
    }
    if (field.getPointDimensionCount() > 0) {
      int bytes = field.getPointNumBytes();
      return field.getPointDimensionCount() == 1 && (bytes == 4 || bytes == 8) ? 1 : 0;
    }
    return field.docValuesSkipIndexType() == DocValuesSkipIndexType.NONE ? 3 : 2;
  }

  /** Whether the text can be searched for phrases. */
  boolean positions() {
    return text != null
        && text.getIndexOptions().compareTo(IndexOptions.DOCS_AND_FREQS_AND_POSITIONS) >= 0;
  }
}
