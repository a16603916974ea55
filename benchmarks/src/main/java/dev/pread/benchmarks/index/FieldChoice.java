/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.index;

import java.io.IOException;
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
import org.apache.lucene.util.IOFunction;

/**
 * Which field of an index suits which kind of query, judged by how the fields are indexed and not
 * by their names. A null means that the index has none.
 *
 * @param text the field with the most postings, those with frequencies first
 * @param key a field whose terms each have one document
 */
record FieldChoice(
    FieldInfo text, FieldInfo key, FieldInfo sort, FieldInfo range, FieldInfo vector) {
  /** How many documents the terms of a key field may have on average: updates leave some behind. */
  private static final double MAX_DUPLICATES = 1.05;

  /** Makes any field with frequencies come before all without. */
  private static final long FREQUENCIES_FIRST = 1L << 20;

  static FieldChoice of(IndexReader reader) throws IOException {
    FieldInfos fields = FieldInfos.getMergedFieldInfos(reader);
    FieldInfo key =
        best(fields, field -> isKey(reader, field) ? reader.getSumDocFreq(field.name) : 0);
    FieldInfo text =
        best(
            fields,
            field -> {
              boolean frequencies = field.getIndexOptions().compareTo(IndexOptions.DOCS) > 0;
              long postings = field.equals(key) ? 0 : reader.getSumDocFreq(field.name);
              return frequencies ? FREQUENCIES_FIRST * postings : postings;
            });
    FieldInfo range =
        best(
            fields,
            field ->
                field.getPointDimensionCount() == 1 ? PointValues.size(reader, field.name) : 0);
    FieldInfo vector = best(fields, field -> vectors(reader, field));
    return new FieldChoice(text, key, best(fields, FieldChoice::sortFit), range, vector);
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

  private static long vectors(IndexReader reader, FieldInfo field) throws IOException {
    long vectors = 0;
    if (field.getVectorDimension() > 0 && field.getVectorEncoding() == VectorEncoding.FLOAT32) {
      for (LeafReaderContext leaf : reader.leaves()) {
        FloatVectorValues values = leaf.reader().getFloatVectorValues(field.name);
        vectors += values == null ? 0 : values.size();
      }
    }
    return vectors;
  }

  /** Prefers fields without points or skip lists: a sort by those may never read doc values. */
  private static int sortFit(FieldInfo field) {
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
}
