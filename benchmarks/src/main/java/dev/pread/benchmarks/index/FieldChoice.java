/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.index;

import java.io.IOException;
import org.apache.lucene.index.DocValuesType;
import org.apache.lucene.index.FieldInfo;
import org.apache.lucene.index.FieldInfos;
import org.apache.lucene.index.IndexOptions;
import org.apache.lucene.index.IndexReader;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.PointValues;
import org.apache.lucene.index.Terms;
import org.apache.lucene.index.VectorEncoding;
import org.apache.lucene.util.IOFunction;

/**
 * Which field of an index suits which kind of query, judged by how the fields are indexed and not
 * by their names. A null means that the index has none.
 *
 * @param text the field with the most terms in all documents together
 * @param key a field whose terms each have one document
 */
record FieldChoice(
    FieldInfo text, FieldInfo key, FieldInfo sort, FieldInfo range, FieldInfo vector) {
  /** How many documents the terms of a key field may have on average: updates leave some behind. */
  private static final double MAX_DUPLICATES = 1.05;

  static FieldChoice of(IndexReader reader) throws IOException {
    FieldInfos fields = FieldInfos.getMergedFieldInfos(reader);
    FieldInfo key =
        best(fields, field -> isKey(reader, field) ? reader.getSumDocFreq(field.name) : 0);
    FieldInfo text =
        best(
            fields, field -> field.equals(key) ? 0 : reader.getSumTotalTermFreq(field.name));
    FieldInfo range =
        best(
            fields,
            field ->
                field.getPointDimensionCount() == 1 ? PointValues.size(reader, field.name) : 0);
    return new FieldChoice(
        text, key, best(fields, FieldChoice::sortFit), range, best(fields, FieldChoice::vectorFit));
  }

  /** Returns the field with the most, zero meaning that it does not suit. */
  private static FieldInfo best(FieldInfos fields, IOFunction<FieldInfo, Number> fit)
      throws IOException {
    FieldInfo best = null;
    long most = 0;
    for (FieldInfo field : fields) {
      long has = fit.apply(field).longValue();
      if (has > most) {
        best = field;
        most = has;
      }
    }
    return best;
  }

  private static boolean isKey(IndexReader reader, FieldInfo field) throws IOException {
    long distinct = 0;
    for (LeafReaderContext leaf : reader.leaves()) {
      Terms terms = leaf.reader().terms(field.name);
      distinct += terms == null ? 0 : Math.max(0, terms.size());
    }
    return field.getIndexOptions() == IndexOptions.DOCS
        && reader.getSumDocFreq(field.name) <= MAX_DUPLICATES * distinct;
  }

  /** Prefers fields without points: a sort by those may never read doc values. */
  private static int sortFit(FieldInfo field) {
    DocValuesType type = field.getDocValuesType();
    boolean numeric = type == DocValuesType.NUMERIC || type == DocValuesType.SORTED_NUMERIC;
    if (!numeric || field.isSoftDeletesField()) {
      return 0;
    }
    int bytes = field.getPointNumBytes();
    int dimensions = field.getPointDimensionCount();
    return dimensions == 0 ? 2 : dimensions == 1 && (bytes == 4 || bytes == 8) ? 1 : 0;
  }

  private static int vectorFit(FieldInfo field) {
    return field.getVectorEncoding() == VectorEncoding.FLOAT32 ? field.getVectorDimension() : 0;
  }
}
