/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.index;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pread.benchmarks.index.BenchQuery.TopHits;
import java.util.Arrays;
import org.apache.lucene.search.KnnFloatVectorQuery;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TopDocs;
import org.apache.lucene.search.TotalHits;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Nearest neighbours are compared by their scores, all other hits bit by bit. */
class TopHitsTest {
  private final TopHits query =
      TopHits.of(new KnnFloatVectorQuery("vector", new float[] {1, 0}, 5));

  /** Returns an answer of hits that are written as document and score. */
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
    "true, 0:0.9000001 1:0.7999999 2:0.7 3:0.6 4:0.5", // the last bits
    "true, 0:0.9 1:0.8 2:0.7 3:0.6 5:0.4", // another one
    "false, 1:0.8 0:0.9 2:0.7 3:0.6 4:0.5", // another order
    "false, 0:0.9 1:0.8 2:0.7 3:0.6 4:0.51", // its own is another
    "false, 0:0.9 1:0.8 2:0.7 5:0.4 6:0.3", // too few in common
    "false, 0:0.9 1:0.8 2:0.7 3:0.6 3:0.6", // one twice
    "false, 0:0.9 1:0.8 2:0.7 3:0.6", // one less
  })
  void neighboursAreTheSameWithTheSameScores(boolean same, String other) {
    BenchQuery.Answer right = answer(1, "0:0.9 1:0.8 2:0.7 3:0.6 4:0.5");
    assertEquals(same, query.same(right, answer(2, other)));
  }
}
