/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.index;

import java.io.IOException;
import java.util.Arrays;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.TopDocs;

/**
 * Asks an index one thing. Immutable: many threads run the same one against many searchers. {@link
 * Object#toString()} says what is asked, for the message on a mismatch.
 */
public interface BenchQuery {

  /**
   * Holds what a query returned.
   *
   * @param hits if it was a search, else null
   */
  record Answer(long checksum, TopDocs hits) {

    /**
     * Folds one value more into a checksum, in order: cheap enough to be part of every measured
     * query, so that every answer is checked and not only the first.
     */
    static long fold(long checksum, long value) {
      long mixed = (checksum ^ value) * 0x9E3779B97F4A7C15L;
      return mixed ^ (mixed >>> 32);
    }

    @Override
    public String toString() {
      return hits == null
          ? "checksum " + Long.toHexString(checksum)
          : hits.totalHits + ": " + Arrays.toString(hits.scoreDocs);
    }
  }

  /** Runs the query and folds all that it returns into a checksum. */
  Answer run(IndexSearcher searcher) throws IOException;

  /**
   * Returns whether an answer is the right one: by their checksums, unless the query knows better.
   *
   * @param reference searches the same index, and gave the right one
   */
  default boolean same(Answer right, Answer other, IndexSearcher reference) throws IOException {
    return right.checksum() == other.checksum();
  }
}
