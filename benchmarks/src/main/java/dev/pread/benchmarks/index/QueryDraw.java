/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.index;

import dev.pread.benchmarks.index.BenchQuery.TopHits;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.apache.lucene.index.DocValuesType;
import org.apache.lucene.index.FieldInfo;
import org.apache.lucene.index.FieldInfos;
import org.apache.lucene.index.FloatVectorValues;
import org.apache.lucene.index.IndexOptions;
import org.apache.lucene.index.IndexReader;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.MultiBits;
import org.apache.lucene.index.MultiTerms;
import org.apache.lucene.index.PointValues;
import org.apache.lucene.index.ReaderUtil;
import org.apache.lucene.index.StoredFields;
import org.apache.lucene.index.Term;
import org.apache.lucene.index.Terms;
import org.apache.lucene.index.TermsEnum;
import org.apache.lucene.queries.function.FunctionValues;
import org.apache.lucene.queries.function.valuesource.FloatKnnVectorFieldSource;
import org.apache.lucene.search.BooleanClause.Occur;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.KnnFloatVectorQuery;
import org.apache.lucene.search.PhraseQuery;
import org.apache.lucene.search.PointRangeQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.Sort;
import org.apache.lucene.search.SortField;
import org.apache.lucene.search.SortedNumericSortField;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.util.Bits;
import org.apache.lucene.util.BytesRef;
import org.apache.lucene.util.IOFunction;
import org.apache.lucene.util.VectorUtil;

/**
 * Draws the queries of an index from what is in it: the same seed and index give the same queries.
 * Each kind has a random sequence of its own, so that leaving one out does not change another.
 */
public final class QueryDraw {
  /** The number of queries of a kind that takes long; a multiple of the number of bands. */
  private static final int QUERIES = 240;

  /**
   * The number of queries of a kind that takes microseconds: so many that they do not only meet
   * what is in the CPU.
   */
  private static final int LOOKUPS = 3_000;

  private static final int TERMS_OF_A_BAND = 2_000;

  /** How many documents the terms of a key field may have on average: updates leave some behind. */
  private static final double MAX_DUPLICATES = 1.05;

  /**
   * Bands of terms by the part of the documents that they are in: a query's cost goes with the
   * length of its postings, and most terms of a text are too rare to cost anything.
   */
  private static final double[] BANDS = {1.01, 0.02, 0.001, 0.000_02};

  /** How many pairs of terms are tried for each phrase that is found somewhere. */
  private static final int PHRASE_TRIES = 20;

  private static final int VECTOR_TRIES = 1_000 * QUERIES;

  /** A range takes in one part in 2 to the power of this, at the most and at the least. */
  private static final int MIN_DEPTH = 2;

  private static final int MAX_DEPTH = 12;

  /**
   * How much noise is added to a vector, as a part of its length, so that no query's nearest
   * document is trivial.
   */
  private static final double NOISE = 0.3;

  private final IndexSearcher searcher;
  private final IndexReader reader;

  /** The same objects for all choices: another call may return others. */
  private final FieldInfos fields;

  // These are chosen by how the fields are indexed, and not by their names; each is null if the
  // index has none that suits.
  private final FieldInfo key;
  private final FieldInfo text;
  private final FieldInfo sort;
  private final FieldInfo range;
  private final FieldInfo vector;

  private final List<List<Term>> bands = new ArrayList<>();
  private SplittableRandom random;

  private QueryDraw(IndexSearcher searcher, long seed) throws IOException {
    this.searcher = searcher;
    this.reader = searcher.getIndexReader();
    this.fields = FieldInfos.getMergedFieldInfos(reader);
    this.random = new SplittableRandom(seed);
    this.key = best(field -> isKey(field) ? reader.getSumDocFreq(field.name) : 0);
    // All fields with frequencies come before those without.
    this.text =
        best(
            field ->
                field == key
                    ? 0
                    : reader.getSumDocFreq(field.name)
                        << (field.getIndexOptions() == IndexOptions.DOCS ? 0 : 20));
    this.sort = best(QueryDraw::sortFit);
    this.range =
        best(
            field ->
                field.getPointDimensionCount() == 1 ? PointValues.size(reader, field.name) : 0);
    this.vector = best(this::vectors);
    for (int i = 1; i < BANDS.length && text != null; i++) {
      double docs = reader.maxDoc();
      List<Term> band = sample(text, BANDS[i] * docs, BANDS[i - 1] * docs, TERMS_OF_A_BAND);
      if (!band.isEmpty()) {
        bands.add(band);
      }
    }
  }

  /** Returns the field with the most, zero meaning that it does not suit. */
  private FieldInfo best(IOFunction<FieldInfo, Number> fit) throws IOException {
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

  /** Returns whether the terms of a field each have one document. */
  private boolean isKey(FieldInfo field) throws IOException {
    long distinct = 0;
    for (LeafReaderContext leaf : reader.leaves()) {
      Terms terms = leaf.reader().terms(field.name);
      distinct += terms == null ? 0 : Math.max(0, terms.size());
    }
    return field.getIndexOptions() == IndexOptions.DOCS
        && reader.getSumDocFreq(field.name) <= MAX_DUPLICATES * distinct;
  }

  private int vectors(FieldInfo field) throws IOException {
    int vectors = 0;
    for (LeafReaderContext leaf : reader.leaves()) {
      FloatVectorValues values = leaf.reader().getFloatVectorValues(field.name);
      vectors += values == null ? 0 : values.size();
    }
    return vectors;
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

  /**
   * Draws from the index that the searcher searches; kinds that it has no queries of are left out.
   */
  public static Map<QueryKind, List<BenchQuery>> draw(IndexSearcher searcher, long seed)
      throws IOException {
    QueryDraw draw = new QueryDraw(searcher, seed);
    Map<QueryKind, List<BenchQuery>> queries = new EnumMap<>(QueryKind.class);
    for (QueryKind kind : QueryKind.values()) {
      draw.random = new SplittableRandom(31 * seed + kind.label().hashCode());
      queries.put(kind, draw.draw(kind));
    }
    queries.values().removeIf(List::isEmpty);
    return queries;
  }

  private List<BenchQuery> draw(QueryKind kind) throws IOException {
    return switch (kind) {
      case TERM -> texts(band -> TopHits.of(new TermQuery(term(band))));
      case AND -> texts(band -> both(band, Occur.MUST));
      case OR -> texts(band -> both(band, Occur.SHOULD));
      case PHRASE -> hasPositions() ? texts(this::phrase) : List.of();
      case SORT -> sort == null ? List.of() : texts(this::sorted);
      case KEY -> keys();
      case STORED -> documents();
      case RANGE -> ranges();
      case KNN -> neighbours();
    };
  }

  /**
   * Takes a uniform sample of the terms of a field that are in so many documents, in one pass:
   * algorithm R of Vitter, "Random Sampling with a Reservoir" (1985).
   *
   * @param least documents that a term is in
   * @param below which they are
   */
  private List<Term> sample(FieldInfo field, double least, double below, int count)
      throws IOException {
    List<Term> sample = new ArrayList<>();
    long seen = 0;
    TermsEnum terms = MultiTerms.getTerms(reader, field.name).iterator();
    for (BytesRef term = terms.next(); term != null; term = terms.next()) {
      if (terms.docFreq() >= least && terms.docFreq() < below) {
        long slot = seen++ < count ? sample.size() : random.nextLong(seen);
        if (slot == sample.size()) {
          sample.add(new Term(field.name, term));
        } else if (slot < count) {
          sample.set((int) slot, new Term(field.name, term));
        }
      }
    }
    return sample;
  }

  /** Draws one query of each band in turn; none if there are no terms. */
  private List<BenchQuery> texts(IOFunction<Integer, BenchQuery> drawer) throws IOException {
    List<BenchQuery> drawn = new ArrayList<>();
    for (int i = 0; i < QUERIES && !bands.isEmpty(); i++) {
      drawn.add(drawer.apply(i % (BANDS.length - 1)));
    }
    return drawn;
  }

  /**
   * Draws a term of a band, 0 being that of the most frequent; of another band if that one is
   * empty.
   */
  private Term term(int band) {
    List<Term> terms = bands.get(Math.min(band, bands.size() - 1));
    return terms.get(random.nextInt(terms.size()));
  }

  /** Draws a term of a band that is not another one, if there are such. */
  private Term other(Term one, int band) {
    Term other = term(band);
    for (int tries = 0; one.equals(other) && tries < 100; tries++) {
      other = term(tries % bands.size());
    }
    return other;
  }

  private BenchQuery both(int band, Occur occur) {
    Term one = term(0);
    BooleanQuery.Builder query = new BooleanQuery.Builder();
    query.add(new TermQuery(one), occur);
    query.add(new TermQuery(other(one, band)), occur);
    return TopHits.of(query.build());
  }

  private boolean hasPositions() {
    return text != null
        && text.getIndexOptions().compareTo(IndexOptions.DOCS_AND_FREQS_AND_POSITIONS) >= 0;
  }

  /** Draws two terms that follow each other somewhere, if trial finds such: most pairs never do. */
  private BenchQuery phrase(int band) throws IOException {
    Query query = null;
    for (int tries = 0; tries < PHRASE_TRIES; tries++) {
      Term one = term(0);
      query = new PhraseQuery(text.name, one.bytes(), other(one, Math.min(1, band)).bytes());
      if (searcher.search(query, 1).scoreDocs.length > 0) {
        break;
      }
    }
    return TopHits.of(query);
  }

  private BenchQuery sorted(int band) {
    // This only matters where the field has points too: the sort then reads those, by their width.
    SortField.Type type = sort.getPointNumBytes() == 4 ? SortField.Type.INT : SortField.Type.LONG;
    Sort largest = new Sort(new SortedNumericSortField(sort.name, type, true));
    return new TopHits(new TermQuery(term(band)), largest);
  }

  private List<BenchQuery> keys() throws IOException {
    List<Term> keys = key == null ? List.of() : sample(key, 1, Double.MAX_VALUE, LOOKUPS);
    List<BenchQuery> drawn = new ArrayList<>();
    for (int i = 0; i < LOOKUPS && !keys.isEmpty(); i++) {
      drawn.add(new BenchQuery.Key(keys.get(random.nextInt(keys.size()))));
    }
    return drawn;
  }

  private List<BenchQuery> documents() throws IOException {
    Bits live = MultiBits.getLiveDocs(reader);
    StoredFields stored = reader.storedFields();
    List<BenchQuery> documents = new ArrayList<>();
    boolean found = false;
    while (documents.size() < LOOKUPS && reader.numDocs() > 0) {
      int doc = random.nextInt(reader.maxDoc());
      if (live == null || live.get(doc)) {
        documents.add(new BenchQuery.Stored(doc));
        found = found || !stored.document(doc).getFields().isEmpty();
      }
    }
    return found ? documents : List.of();
  }

  /**
   * Draws ranges between values that occur: cells of the tree that a segment keeps its points in,
   * each found by a random way down of a random length. So their widths are spread over powers of
   * two of the number of points, whatever the values' type and distribution, and few blocks are
   * read.
   */
  private List<BenchQuery> ranges() throws IOException {
    List<BenchQuery> ranges = new ArrayList<>();
    while (range != null && ranges.size() < QUERIES) {
      PointValues points = anySegment().reader().getPointValues(range.name);
      if (points != null && points.size() > 0) {
        PointValues.PointTree tree = points.getPointTree();
        int depth = random.nextInt(MIN_DEPTH, MAX_DEPTH + 1);
        for (int level = 0; level < depth && tree.moveToChild(); level++) {
          if (random.nextBoolean()) {
            tree.moveToSibling();
          }
        }
        byte[] lower = tree.getMinPackedValue().clone();
        byte[] upper = tree.getMaxPackedValue().clone();
        ranges.add(
            TopHits.of(
                new PointRangeQuery(range.name, lower, upper, 1) {
                  @Override
                  protected String toString(int dimension, byte[] value) {
                    return new BytesRef(value).toString();
                  }
                }));
      }
    }
    return ranges;
  }

  private LeafReaderContext anySegment() {
    return reader.leaves().get(random.nextInt(reader.leaves().size()));
  }

  /** Draws documents until they have vectors; Lucene 9 gives these out by document alone. */
  private List<BenchQuery> neighbours() throws IOException {
    List<BenchQuery> neighbours = new ArrayList<>();
    for (int i = 0; i < VECTOR_TRIES && vector != null && neighbours.size() < QUERIES; i++) {
      int doc = random.nextInt(reader.maxDoc());
      LeafReaderContext leaf = reader.leaves().get(ReaderUtil.subIndex(doc, reader.leaves()));
      FunctionValues vectors = new FloatKnnVectorFieldSource(vector.name).getValues(Map.of(), leaf);
      float[] near = vectors.floatVectorVal(doc - leaf.docBase);
      if (near != null) {
        neighbours.add(
            TopHits.of(new KnnFloatVectorQuery(vector.name, noisy(near.clone()), TopHits.HITS)));
      }
    }
    return neighbours;
  }

  /** Adds noise and keeps the length, which dot products of unit vectors need. */
  private float[] noisy(float[] near) {
    double length = Math.sqrt(VectorUtil.dotProduct(near, near));
    double scale = NOISE * length / Math.sqrt(near.length);
    for (int d = 0; d < near.length; d++) {
      near[d] += (float) (scale * random.nextGaussian());
    }
    double longer = Math.sqrt(VectorUtil.dotProduct(near, near)) / length;
    for (int d = 0; d < near.length && longer > 0; d++) {
      near[d] /= (float) longer;
    }
    return near;
  }
}
