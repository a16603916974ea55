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

  @Override
  public String toString() {
    return hits == null
        ? "checksum " + Long.toHexString(checksum)
        : hits.totalHits + ": " + Arrays.toString(hits.scoreDocs);
  }
}
