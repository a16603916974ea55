/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.index;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.apache.lucene.index.Term;
import org.apache.lucene.search.KnnFloatVectorQuery;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.search.TopDocs;
import org.apache.lucene.search.TotalHits;
import org.junit.jupiter.api.Test;

/** Rounding is forgiven to nearest neighbours, and nothing else is to anybody. */
class TopHitsTest {
  private static final float ULP = 6e-8f;
  private final TopHits query = TopHits.of(new KnnFloatVectorQuery("v", new float[] {1}, 3));

  private boolean same(ScoreDoc[] one, ScoreDoc... other) {
    return query.same(answer(1, one), answer(2, other));
  }

  private static BenchQuery.Answer answer(long checksum, ScoreDoc... hits) {
    TotalHits total = new TotalHits(hits.length, TotalHits.Relation.EQUAL_TO);
    return new BenchQuery.Answer(checksum, new TopDocs(total, hits));
  }

  private static ScoreDoc hit(int doc, float score) {
    return new ScoreDoc(doc, score);
  }

  private static ScoreDoc[] hits() {
    return new ScoreDoc[] {hit(1, 0.9f), hit(2, 0.8f), hit(3, 0.7f)};
  }

  @Test
  void lastBitsOfScoresAreForgiven() {
    assertTrue(same(hits(), hit(1, 0.9f + ULP), hit(2, 0.8f - ULP), hit(3, 0.7f)));
  }

  @Test
  void orderWithinEqualScoresIsFree() {
    ScoreDoc[] tied = {hit(1, 0.9f), hit(2, 0.8f), hit(3, 0.8f)};
    assertTrue(same(tied, hit(1, 0.9f), hit(3, 0.8f + ULP), hit(2, 0.8f)));
    assertTrue(same(tied, hit(1, 0.9f), hit(4, 0.8f), hit(3, 0.8f)));
  }

  @Test
  void otherDocumentsAreNotForgiven() {
    assertFalse(same(hits(), hit(7, 0.9f), hit(2, 0.8f), hit(3, 0.7f)));
  }

  @Test
  void otherScoresAreNotForgiven() {
    assertFalse(same(hits(), hit(1, 0.9f), hit(2, 0.8f), hit(3, 0.69f)));
  }

  @Test
  void otherQueriesAreNotForgivenAnything() {
    TopHits term = TopHits.of(new TermQuery(new Term("f", "t")));
    assertFalse(term.same(answer(1, hits()), answer(2, hits())));
  }

  @Test
  void missingHitsAreNotForgiven() {
    assertFalse(same(hits(), hit(1, 0.9f), hit(2, 0.8f)));
  }
}
