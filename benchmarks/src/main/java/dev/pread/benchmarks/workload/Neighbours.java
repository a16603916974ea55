/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.workload;

import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.KnnFloatVectorQuery;
import org.apache.lucene.search.ScoreDoc;

/**
 * The nearest neighbours of a vector. Their scores are sums of floats whose order nobody specifies:
 * Lucene scores vectors in mapped memory several at a time and others one by one, and the JVM's
 * vector module adds the lanes up in one order while it interprets and in another once it has
 * compiled. So the last bits of a score vary even with one directory, and answers that differ in
 * nothing else are the same.
 */
final class Neighbours implements BenchQuery {
  /** Far above the rounding of a sum of some thousand floats, far below what a wrong byte does. */
  private static final float TOLERANCE = 1e-5f;

  private final TopHits hits;

  Neighbours(KnnFloatVectorQuery query) {
    this.hits = new TopHits(query);
  }

  @Override
  public Answer run(IndexSearcher searcher) throws IOException {
    return hits.run(searcher);
  }

  /**
   * Whether the scores are the same rank by rank, and the documents too, save those that share the
   * last score with others that did not get in. The order within equal scores is free.
   */
  @Override
  public boolean same(Answer one, Answer other) {
    if (one.checksum() == other.checksum()) {
      return true;
    }
    ScoreDoc[] left = one.hits().scoreDocs;
    ScoreDoc[] right = other.hits().scoreDocs;
    if (left.length != right.length) {
      return false;
    }
    Set<Integer> found = new HashSet<>();
    for (int i = 0; i < left.length; i++) {
      if (!close(left[i].score, right[i].score)) {
        return false;
      }
      found.add(right[i].doc);
    }
    for (ScoreDoc hit : left) {
      if (!found.contains(hit.doc) && !close(hit.score, left[left.length - 1].score)) {
        return false;
      }
    }
    return true;
  }

  private static boolean close(float one, float other) {
    return Math.abs(one - other) <= TOLERANCE * Math.max(1, Math.abs(one));
  }

  @Override
  public String toString() {
    return hits.toString();
  }
}
