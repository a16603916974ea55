/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.index;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The queries of each kind, the same for every directory.
 *
 * @param queries kinds that can be asked, in order; none of the lists is empty
 */
public record QuerySet(Map<QueryKind, List<BenchQuery>> queries) {

  /** How many queries there are in all. */
  public int size() {
    return queries.values().stream().mapToInt(List::size).sum();
  }

  /** The other kinds, with the reason why the index has none. */
  public Map<QueryKind, String> leftOut() {
    Map<QueryKind, String> leftOut = new EnumMap<>(QueryKind.class);
    for (QueryKind kind : QueryKind.values()) {
      if (!queries.containsKey(kind)) {
        leftOut.put(kind, kind.missing());
      }
    }
    return leftOut;
  }
}
