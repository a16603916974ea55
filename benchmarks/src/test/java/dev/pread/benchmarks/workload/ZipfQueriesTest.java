/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.workload;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Hot ones are hot, kinds are even. */
class ZipfQueriesTest {
  private static final int DRAWS = 100_000;

  private static QuerySet set(QueryKind kind, int size) {
    List<BenchQuery> queries = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      queries.add(new StoredFetch(i));
    }
    return new QuerySet(Map.of(kind, queries), Map.of());
  }

  private static Map<BenchQuery, Integer> drawn(ZipfQueries queries) {
    Map<BenchQuery, Integer> counts = new HashMap<>();
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < DRAWS; i++) {
      counts.merge(queries.draw(random), 1, Integer::sum);
    }
    return counts;
  }

  @Test
  void countsFollowTheRank() {
    QuerySet set = set(QueryKind.TERM, 50);
    List<BenchQuery> list = set.queries().get(QueryKind.TERM);
    Map<BenchQuery, Integer> counts =
        drawn(ZipfQueries.of(List.of(set), new ZipfQueries.Choice(List.of(), 1)));
    double harmonic = 0;
    for (int i = 1; i <= 50; i++) {
      harmonic += 1.0 / i;
    }
    for (int rank : new int[] {1, 2, 10, 50}) {
      double expected = DRAWS / harmonic / rank;
      assertEquals(expected, counts.get(list.get(rank - 1)), 5 * Math.sqrt(expected));
    }
  }

  @Test
  void noSkewIsEven() {
    Map<BenchQuery, Integer> counts =
        drawn(
            ZipfQueries.of(List.of(set(QueryKind.KEY, 10)), new ZipfQueries.Choice(List.of(), 0)));
    assertEquals(10, counts.size());
    counts.values().forEach(count -> assertEquals(DRAWS / 10, count, 500));
  }

  @Test
  void kindsAreEvenAndSetsAreJoined() {
    List<QuerySet> sets =
        List.of(set(QueryKind.TERM, 5), set(QueryKind.TERM, 5), set(QueryKind.KNN, 100));
    ZipfQueries all = ZipfQueries.of(sets, new ZipfQueries.Choice(List.of(), 0.9));
    assertEquals(110, all.size());
    Map<BenchQuery, Integer> counts = drawn(all);
    int knn = 0;
    for (BenchQuery query : sets.get(2).queries().get(QueryKind.KNN)) {
      knn += counts.getOrDefault(query, 0);
    }
    assertEquals(DRAWS / 2, knn, 1_000);
    assertEquals(
        10, ZipfQueries.of(sets, new ZipfQueries.Choice(List.of(QueryKind.TERM), 1)).size());
  }

  @Test
  void noneIsNull() {
    List<QuerySet> sets = List.of(set(QueryKind.TERM, 5));
    assertNull(ZipfQueries.of(sets, new ZipfQueries.Choice(List.of(QueryKind.KNN), 1)));
    assertTrue(ZipfQueries.of(sets, new ZipfQueries.Choice(List.of(), 10)).size() > 0);
  }
}
