/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.index;

import java.util.List;
import java.util.Map;

/**
 * The queries of each kind, the same for every directory, and why a kind has none.
 *
 * @param queries kinds that can be asked, in order; none of the lists is empty
 * @param leftOut kinds that the index has no field for, with the reason
 */
public record QuerySet(Map<QueryKind, List<BenchQuery>> queries, Map<QueryKind, String> leftOut) {

  /** How many queries there are in all. */
  public int size() {
    return queries.values().stream().mapToInt(List::size).sum();
  }
}
