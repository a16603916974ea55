/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.index;

import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.apache.lucene.index.DocValuesType;
import org.apache.lucene.index.FieldInfo;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.PhraseQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.Sort;
import org.apache.lucene.search.SortField;
import org.apache.lucene.search.SortedNumericSortField;
import org.apache.lucene.search.TermQuery;

/**
 * Draws the queries of an index from what is in it: the same seed and index give the same queries.
 * Each kind has a random sequence of its own, so that leaving one out does not change another.
 */
public final class QueryDraw {
  /** Of the kinds that take long; a multiple of the number of bands. */
  private static final int QUERIES = 240;

  /** Of the kinds that take microseconds, so that they do not only meet what is in the CPU. */
  private static final int LOOKUPS = 3_000;

  /** How many pairs of terms are tried for each phrase that is found somewhere. */
  private static final int PHRASE_TRIES = 20;

  private final IndexSearcher searcher;
  private final long seed;
  private final Map<QueryKind, List<BenchQuery>> queries = new EnumMap<>(QueryKind.class);

  private QueryDraw(IndexSearcher searcher, long seed) {
    this.searcher = searcher;
    this.seed = seed;
  }

  /**
   * Draws from the index that the searcher searches; kinds that it has no queries of are left out.
   */
  public static Map<QueryKind, List<BenchQuery>> draw(IndexSearcher searcher, long seed)
      throws IOException {
    QueryDraw draw = new QueryDraw(searcher, seed);
    FieldChoice fields = FieldChoice.of(searcher.getIndexReader());
    draw.texts(fields);
    draw.values(fields);
    draw.queries.values().removeIf(List::isEmpty);
    return draw.queries;
  }

  private SplittableRandom random(QueryKind kind) {
    return new SplittableRandom(31 * seed + kind.label().hashCode());
  }

  private void values(FieldChoice fields) throws IOException {
    ValueSamples samples = new ValueSamples(searcher.getIndexReader());
    queries.put(QueryKind.KEY, samples.keys(fields.key(), LOOKUPS, random(QueryKind.KEY)));
    queries.put(QueryKind.STORED, samples.documents(LOOKUPS, random(QueryKind.STORED)));
    queries.put(QueryKind.RANGE, samples.ranges(fields.range(), QUERIES, random(QueryKind.RANGE)));
    queries.put(QueryKind.KNN, samples.neighbours(fields.vector(), QUERIES, random(QueryKind.KNN)));
  }

  private void texts(FieldChoice fields) throws IOException {
    if (fields.text() == null) {
      return;
    }
    TermBands terms =
        TermBands.sample(searcher.getIndexReader(), fields.text().name, random(QueryKind.TERM));
    texts(QueryKind.TERM, terms, (t, band) -> TopHits.of(new TermQuery(t.any(band))));
    texts(QueryKind.AND, terms, (t, band) -> both(t, band, BooleanClause.Occur.MUST));
    texts(QueryKind.OR, terms, (t, band) -> both(t, band, BooleanClause.Occur.SHOULD));
    if (fields.positions()) {
      texts(QueryKind.PHRASE, terms, this::phrase);
    }
    if (fields.sort() != null) {
      Sort sort = sort(fields.sort());
      texts(QueryKind.SORT, terms, (t, b) -> new TopHits(new TermQuery(t.any(b)), sort));
    }
  }

  /** One query of each band in turn. */
  private interface Drawer {
    BenchQuery draw(TermBands terms, int band) throws IOException;
  }

  private void texts(QueryKind kind, TermBands terms, Drawer drawer) throws IOException {
    List<BenchQuery> drawn = new ArrayList<>();
    TermBands own = terms.drawnBy(random(kind));
    for (int i = 0; i < QUERIES && !own.isEmpty(); i++) {
      drawn.add(drawer.draw(own, i % TermBands.BANDS));
    }
    queries.put(kind, drawn);
  }

  /** A frequent term and one of the given band. */
  private static BenchQuery both(TermBands terms, int band, BooleanClause.Occur occur) {
    BooleanQuery.Builder query = new BooleanQuery.Builder();
    for (Term term : terms.pair(0, band)) {
      query.add(new TermQuery(term), occur);
    }
    return TopHits.of(query.build());
  }

  /** Two terms that follow each other somewhere, if trial finds such: most pairs never do. */
  private BenchQuery phrase(TermBands terms, int band) throws IOException {
    Query query = null;
    for (int tries = 0; tries < PHRASE_TRIES; tries++) {
      List<Term> pair = terms.pair(0, Math.min(1, band));
      query = new PhraseQuery(pair.get(0).field(), pair.get(0).bytes(), pair.get(1).bytes());
      if (searcher.search(query, 1).totalHits.value() > 0) {
        break;
      }
    }
    return TopHits.of(query);
  }

  /** Largest first. */
  private static Sort sort(FieldInfo field) {
    // Only matters where the field has points too: the sort then reads those, by their width.
    SortField.Type type = field.getPointNumBytes() == 4 ? SortField.Type.INT : SortField.Type.LONG;
    return new Sort(
        field.getDocValuesType() == DocValuesType.SORTED_NUMERIC
            ? new SortedNumericSortField(field.name, type, true)
            : new SortField(field.name, type, true));
  }
}
