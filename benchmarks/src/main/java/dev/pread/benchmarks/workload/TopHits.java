/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.workload;

import java.io.IOException;
import java.util.Arrays;
import org.apache.lucene.search.FieldDoc;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.Sort;
import org.apache.lucene.search.TopDocs;
import org.apache.lucene.search.TotalHits;

/**
 * The ten best hits of a query, by score or by a sort. The checksum takes in the number of hits,
 * the documents in order, and their scores or sort values.
 */
final class TopHits implements BenchQuery {
  static final int HITS = 10;

  private final Query query;
  private final Sort sort;

  /** Best by score. */
  TopHits(Query query) {
    this(query, null);
  }

  /** Best by the sort, or by score if that is null. */
  TopHits(Query query, Sort sort) {
    this.query = query;
    this.sort = sort;
  }

  @Override
  public Answer run(IndexSearcher searcher) throws IOException {
    TopDocs top = sort == null ? searcher.search(query, HITS) : searcher.search(query, HITS, sort);
    Checksum checksum = new Checksum();
    checksum.add(top.totalHits.value());
    checksum.add(top.totalHits.relation() == TotalHits.Relation.EQUAL_TO ? 0 : 1);
    for (ScoreDoc hit : top.scoreDocs) {
      checksum.add(hit.doc);
      checksum.add(
          hit instanceof FieldDoc sorted
              ? Arrays.hashCode(sorted.fields)
              : Float.floatToIntBits(hit.score));
    }
    return new Answer(checksum.value(), top);
  }

  @Override
  public String toString() {
    return sort == null ? query.toString() : query + " sorted by " + sort;
  }
}
