/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.workload;

import java.io.IOException;
import org.apache.lucene.search.IndexSearcher;

/**
 * One thing to ask an index. Immutable: many threads run the same one against many searchers.
 * {@link Object#toString()} says what is asked, for the message on a mismatch.
 */
public interface BenchQuery {

  /** Runs it and folds all that it returns into a checksum. */
  Answer run(IndexSearcher searcher) throws IOException;

  /** Whether two answers are the same; by their checksums, unless the query knows better. */
  default boolean same(Answer one, Answer other) {
    return one.checksum() == other.checksum();
  }
}
