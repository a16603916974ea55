/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.index;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.Arrays;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.KnnFloatVectorQuery;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.search.TopDocs;
import org.apache.lucene.search.TotalHits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Rounding is forgiven to nearest neighbours, and nothing else is to anybody. */
class TopHitsTest {
  private final TopHits query = TopHits.of(new KnnFloatVectorQuery("v", new float[] {1}, 3));

  /** Of hits written as document and score. */
  private static BenchQuery.Answer answer(long checksum, String hits) {
    ScoreDoc[] docs =
        Arrays.stream(hits.split(" ", -1))
            .map(hit -> hit.split(":", -1))
            .map(hit -> new ScoreDoc(Integer.parseInt(hit[0]), Float.parseFloat(hit[1])))
            .toArray(ScoreDoc[]::new);
    TotalHits total = new TotalHits(docs.length, TotalHits.Relation.EQUAL_TO);
    return new BenchQuery.Answer(checksum, new TopDocs(total, docs));
  }

  @ParameterizedTest
  @CsvSource({
    "true,  1:0.9 2:0.8 3:0.7, 1:0.9000001 2:0.7999999 3:0.7", // the last bits
    "true,  1:0.9 2:0.8 3:0.8, 1:0.9 3:0.8000001 2:0.8", // order within equal scores
    "true,  1:0.9 2:0.8 3:0.8, 1:0.9 4:0.8 3:0.8", // who of equal ones got in
    "false, 1:0.9 2:0.8 3:0.7, 7:0.9 2:0.8 3:0.7",
    "false, 1:0.9 2:0.8 3:0.7, 1:0.9 2:0.8 3:0.69",
    "false, 1:0.9 2:0.8 3:0.7, 1:0.9 2:0.8",
  })
  void onlyRoundingIsForgiven(boolean same, String one, String other) {
    assertEquals(same, query.same(answer(1, one), answer(2, other)));
  }

  @Test
  void otherQueriesAreNotForgivenAnything() {
    TopHits term = TopHits.of(new TermQuery(new Term("f", "t")));
    assertFalse(term.same(answer(1, "1:0.9"), answer(2, "1:0.9")));
  }
}
