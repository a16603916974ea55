/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.workload;

import java.util.Arrays;
import org.apache.lucene.search.TopDocs;

/**
 * What a query returned.
 *
 * @param checksum of all of it
 * @param hits if it was a search, else null
 */
public record Answer(long checksum, TopDocs hits) {

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
