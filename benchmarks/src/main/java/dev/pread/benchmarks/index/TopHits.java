/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.index;

import java.io.IOException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.apache.lucene.search.FieldDoc;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.KnnFloatVectorQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.Sort;
import org.apache.lucene.search.TopDocs;
import org.apache.lucene.search.TotalHits;

/**
 * The ten best hits of a query. The checksum takes in the number of hits, the documents in order,
 * and their scores or sort values.
 *
 * <p>The scores of nearest neighbours are sums of floats whose order nobody specifies: Lucene
 * scores vectors in mapped memory several at a time and others one by one, and the JVM's vector
 * module adds the lanes up in one order while it interprets and in another once it has compiled. So
 * the last bits of a score vary even with one directory, and answers that differ in nothing else
 * are the same.
 *
 * @param sort by which hits are best; null for the score
 */
record TopHits(Query query, Sort sort) implements BenchQuery {
  static final int HITS = 10;

  /** Far above the rounding of a sum of thousands of floats, far below what a wrong byte does. */
  private static final float TOLERANCE = 1e-5f;

  /** By the score. */
  static TopHits of(Query query) {
    return new TopHits(query, null);
  }

  @Override
  public Answer run(IndexSearcher searcher) throws IOException {
    TopDocs top = sort == null ? searcher.search(query, HITS) : searcher.search(query, HITS, sort);
    boolean exact = top.totalHits.relation() == TotalHits.Relation.EQUAL_TO;
    long sum = Answer.fold(exact ? 0 : 1, top.totalHits.value());
    for (ScoreDoc hit : top.scoreDocs) {
      sum = Answer.fold(sum, hit.doc);
      sum =
          Answer.fold(
              sum,
              hit instanceof FieldDoc sorted
                  ? Arrays.hashCode(sorted.fields)
                  : Float.floatToIntBits(hit.score));
    }
    return new Answer(sum, top);
  }

  @Override
  public boolean same(Answer one, Answer other) {
    return one.checksum() == other.checksum()
        || (query instanceof KnnFloatVectorQuery
            && sameNeighbours(one.hits().scoreDocs, other.hits().scoreDocs));
  }

  /**
   * Whether the scores are the same rank by rank, and the documents too, save those that share the
   * last score with others that did not get in. The order within equal scores is free.
   */
  private static boolean sameNeighbours(ScoreDoc[] left, ScoreDoc[] right) {
    boolean same = left.length == right.length;
    Set<Integer> found = new HashSet<>();
    for (int i = 0; i < left.length && same; i++) {
      same = close(left[i].score, right[i].score);
      found.add(right[i].doc);
    }
    for (ScoreDoc hit : left) {
      same &= found.contains(hit.doc) || close(hit.score, left[left.length - 1].score);
    }
    return same;
  }

  private static boolean close(float one, float other) {
    return Math.abs(one - other) <= TOLERANCE * Math.max(1, Math.abs(one));
  }

  @Override
  public String toString() {
    return sort == null ? query.toString() : query + " sorted by " + sort;
  }
}
