/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.workload;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.lucene.index.DocValuesSkipIndexType;
import org.apache.lucene.index.DocValuesType;
import org.apache.lucene.index.FieldInfo;
import org.apache.lucene.index.FieldInfos;
import org.apache.lucene.index.FloatVectorValues;
import org.apache.lucene.index.IndexOptions;
import org.apache.lucene.index.IndexReader;
import org.apache.lucene.index.LeafReader;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.PointValues;
import org.apache.lucene.index.Terms;
import org.apache.lucene.index.VectorEncoding;

/**
 * Which field of an index suits which kind of query, judged by how the fields are indexed and not
 * by their names. A null means that the index has none.
 *
 * @param text the field with the most postings that has frequencies, else the most postings
 * @param positions whether {@code text} has positions
 * @param key a field whose terms each have one document
 * @param sort a numeric doc values field
 * @param range a one-dimensional point field
 * @param vector a field of float vectors
 */
record FieldChoice(
    String text, boolean positions, String key, FieldInfo sort, String range, String vector) {

  /** Of all terms of a key field, so many may belong to a second document: leftovers of updates. */
  private static final double MAX_DUPLICATES = 1.05;

  static FieldChoice of(IndexReader reader) throws IOException {
    List<FieldInfo> fields = new ArrayList<>();
    FieldInfos.getMergedFieldInfos(reader).forEach(fields::add);
    FieldInfo key = best(fields, field -> keyDocs(reader, field));
    List<FieldInfo> others = new ArrayList<>(fields);
    others.remove(key);
    FieldInfo text = best(others, field -> postings(reader, field, IndexOptions.DOCS_AND_FREQS));
    if (text == null) {
      text = best(others, field -> postings(reader, field, IndexOptions.DOCS));
    }
    return new FieldChoice(
        name(text),
        text != null
            && text.getIndexOptions().compareTo(IndexOptions.DOCS_AND_FREQS_AND_POSITIONS) >= 0,
        name(key),
        best(fields, FieldChoice::sortFit),
        name(best(fields, field -> points(reader, field))),
        name(best(fields, field -> vectors(reader, field))));
  }

  private static String name(FieldInfo field) {
    return field == null ? null : field.name;
  }

  /** Counts what something has, zero meaning that it does not suit. */
  private interface Count<T> {
    long of(T something) throws IOException;
  }

  private static FieldInfo best(List<FieldInfo> fields, Count<FieldInfo> count) throws IOException {
    FieldInfo best = null;
    long most = 0;
    for (FieldInfo field : fields) {
      long has = count.of(field);
      if (has > most) {
        best = field;
        most = has;
      }
    }
    return best;
  }

  private static long sum(IndexReader reader, Count<LeafReader> count) throws IOException {
    long sum = 0;
    for (LeafReaderContext leaf : reader.leaves()) {
      sum += count.of(leaf.reader());
    }
    return sum;
  }

  private static long keyDocs(IndexReader reader, FieldInfo field) throws IOException {
    if (field.getIndexOptions() != IndexOptions.DOCS) {
      return 0;
    }
    long distinct =
        sum(
            reader,
            leaf -> {
              Terms terms = leaf.terms(field.name);
              return terms == null ? 0 : Math.max(0, terms.size());
            });
    long postings = postings(reader, field, IndexOptions.DOCS);
    return postings <= MAX_DUPLICATES * distinct ? postings : 0;
  }

  private static long postings(IndexReader reader, FieldInfo field, IndexOptions least)
      throws IOException {
    return field.getIndexOptions().compareTo(least) < 0
        ? 0
        : sum(
            reader,
            leaf -> {
              Terms terms = leaf.terms(field.name);
              return terms == null ? 0 : terms.getSumDocFreq();
            });
  }

  /** Prefers fields without points or skip lists: a sort by those may never read doc values. */
  private static long sortFit(FieldInfo field) {
    DocValuesType type = field.getDocValuesType();
    boolean numeric = type == DocValuesType.NUMERIC || type == DocValuesType.SORTED_NUMERIC;
    int dimensions = field.getPointDimensionCount();
    int bytes = field.getPointNumBytes();
    if (!numeric
        || field.isSoftDeletesField()
        || dimensions > 1
        || (dimensions == 1 && bytes != 4 && bytes != 8)) {
      return 0;
    }
    boolean skips = field.docValuesSkipIndexType() != DocValuesSkipIndexType.NONE;
    return dimensions == 1 ? 1 : skips ? 2 : 3;
  }

  private static long points(IndexReader reader, FieldInfo field) throws IOException {
    return field.getPointDimensionCount() != 1
        ? 0
        : sum(
            reader,
            leaf -> {
              PointValues values = leaf.getPointValues(field.name);
              return values == null ? 0 : values.size();
            });
  }

  private static long vectors(IndexReader reader, FieldInfo field) throws IOException {
    return field.getVectorDimension() == 0 || field.getVectorEncoding() != VectorEncoding.FLOAT32
        ? 0
        : sum(
            reader,
            leaf -> {
              FloatVectorValues values = leaf.getFloatVectorValues(field.name);
              return values == null ? 0 : values.size();
            });
  }
}
