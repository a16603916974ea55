/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.workload;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The queries of each kind, the same for every directory, and why a kind has none.
 *
 * @param queries kinds that can be asked; none of the lists is empty
 * @param leftOut kinds that the index has no field for, with the reason
 */
public record QuerySet(Map<QueryKind, List<BenchQuery>> queries, Map<QueryKind, String> leftOut) {

  /** An unmodifiable set, in the order of the kinds. */
  public QuerySet {
    queries = java.util.Collections.unmodifiableMap(ordered(queries));
    leftOut = java.util.Collections.unmodifiableMap(ordered(leftOut));
  }

  private static <V> Map<QueryKind, V> ordered(Map<QueryKind, V> map) {
    Map<QueryKind, V> copy = new EnumMap<>(QueryKind.class);
    copy.putAll(map);
    return copy;
  }

  /** How many queries there are in all. */
  public int size() {
    return queries.values().stream().mapToInt(List::size).sum();
  }
}
