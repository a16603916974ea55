/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.index;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.lucene.index.FieldInfo;
import org.apache.lucene.index.FloatVectorValues;
import org.apache.lucene.index.IndexReader;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.MultiBits;
import org.apache.lucene.index.PointValues;
import org.apache.lucene.index.StoredFields;
import org.apache.lucene.index.Terms;
import org.apache.lucene.index.TermsEnum;
import org.apache.lucene.search.KnnFloatVectorQuery;
import org.apache.lucene.search.PointRangeQuery;
import org.apache.lucene.util.Bits;
import org.apache.lucene.util.BytesRef;
import org.apache.lucene.util.VectorUtil;

/**
 * Queries for random keys, documents, ranges and vectors of an index. Every list comes out empty
 * where the index has none of the kind, and for a field that is null.
 */
final class ValueSamples {
  /** How much of a vector is replaced by noise, so that no query's nearest document is trivial. */
  private static final double NOISE = 0.3;

  /** Stored fields are looked for in so many documents before an index is taken to have none. */
  private static final int STORED_TRIES = 100;

  /** A range takes in one part in 2 to the power of this, at the most and at the least. */
  private static final int WIDEST = 2;

  private static final int NARROWEST = 12;

  private final IndexReader reader;

  ValueSamples(IndexReader reader) {
    this.reader = reader;
  }

  List<BenchQuery> keys(FieldInfo field, int count, SplittableRandom random) throws IOException {
    Reservoir<BytesRef> reservoir = new Reservoir<>(count, random);
    for (LeafReaderContext leaf : reader.leaves()) {
      Terms terms = field == null ? null : leaf.reader().terms(field.name);
      TermsEnum iterator = terms == null ? TermsEnum.EMPTY : terms.iterator();
      for (BytesRef term = iterator.next(); term != null; term = iterator.next()) {
        BytesRef current = term;
        reservoir.offer(() -> BytesRef.deepCopyOf(current));
      }
    }
    List<BytesRef> keys = reservoir.sample();
    List<BenchQuery> drawn = new ArrayList<>();
    for (int i = 0; i < count && !keys.isEmpty(); i++) {
      drawn.add(new Lookups.Key(field.name, keys.get(random.nextInt(keys.size()))));
    }
    return drawn;
  }

  List<BenchQuery> documents(int count, SplittableRandom random) throws IOException {
    Bits live = MultiBits.getLiveDocs(reader);
    StoredFields fields = reader.storedFields();
    List<BenchQuery> documents = new ArrayList<>();
    boolean stored = false;
    while (documents.size() < count
        && reader.numDocs() > 0
        && (stored || documents.size() < STORED_TRIES)) {
      int doc = random.nextInt(reader.maxDoc());
      if (live == null || live.get(doc)) {
        documents.add(new Lookups.Stored(doc));
        stored = stored || !fields.document(doc).getFields().isEmpty();
      }
    }
    return stored ? documents : List.of();
  }

  /**
   * Ranges between values that occur: cells of the tree that a segment keeps its points in, each
   * found by a random way down of a random length. So their widths are spread over powers of two of
   * the number of points, whatever the values' type and distribution, and few blocks are read.
   */
  List<BenchQuery> ranges(FieldInfo field, int count, SplittableRandom random) throws IOException {
    List<PointValues> segments = new ArrayList<>();
    for (LeafReaderContext leaf : reader.leaves()) {
      PointValues points = field == null ? null : leaf.reader().getPointValues(field.name);
      if (points != null && points.size() > 0) {
        segments.add(points);
      }
    }
    List<BenchQuery> ranges = new ArrayList<>();
    for (int i = 0; i < count && !segments.isEmpty(); i++) {
      PointValues.PointTree tree = segments.get(random.nextInt(segments.size())).getPointTree();
      int depth = random.nextInt(WIDEST, NARROWEST + 1);
      for (int level = 0; level < depth && tree.moveToChild(); level++) {
        if (random.nextBoolean()) {
          tree.moveToSibling();
        }
      }
      byte[] lower = tree.getMinPackedValue().clone();
      ranges.add(TopHits.of(new CellQuery(field.name, lower, tree.getMaxPackedValue().clone())));
    }
    return ranges;
  }

  List<BenchQuery> neighbours(FieldInfo field, int count, SplittableRandom random)
      throws IOException {
    List<FloatVectorValues> segments = new ArrayList<>();
    int total = 0;
    for (LeafReaderContext leaf : reader.leaves()) {
      FloatVectorValues values =
          field == null ? null : leaf.reader().getFloatVectorValues(field.name);
      if (values != null) {
        segments.add(values);
        total += values.size();
      }
    }
    List<BenchQuery> neighbours = new ArrayList<>();
    for (int i = 0; i < count && total > 0; i++) {
      int ord = random.nextInt(total);
      int segment = 0;
      while (ord >= segments.get(segment).size()) {
        ord -= segments.get(segment++).size();
      }
      float[] vector = noisy(segments.get(segment).vectorValue(ord).clone(), random);
      neighbours.add(TopHits.of(new KnnFloatVectorQuery(field.name, vector, TopHits.HITS)));
    }
    return neighbours;
  }

  /** Adds noise and keeps the length, which dot products of unit vectors need. */
  private static float[] noisy(float[] vector, SplittableRandom random) {
    double before = Math.sqrt(VectorUtil.dotProduct(vector, vector));
    double scale = NOISE * before / Math.sqrt(vector.length);
    for (int d = 0; d < vector.length; d++) {
      vector[d] += (float) (scale * random.nextGaussian());
    }
    VectorUtil.l2normalize(vector, false);
    for (int d = 0; d < vector.length; d++) {
      vector[d] = (float) (vector[d] * before);
    }
    return vector;
  }

  /** A range of points of any width in bytes. */
  private static final class CellQuery extends PointRangeQuery {
    CellQuery(String field, byte[] lower, byte[] upper) {
      super(field, lower, upper, 1);
    }

    @Override
    protected String toString(int dimension, byte[] value) {
      return new BytesRef(value).toString();
    }
  }
}
