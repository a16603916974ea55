/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.workload;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Queries as users ask them: any kind as often as any other, and within a kind few queries again
 * and again, most hardly ever. The query at position r of its list, from 1, is drawn in proportion
 * to r to the power of minus the skew. Immutable.
 */
public final class ZipfQueries {
  private final List<List<BenchQuery>> lists;

  /** Per list, the sums of the weights up to each position. */
  private final List<double[]> sums;

  /**
   * Which queries, and how unevenly.
   *
   * @param kinds to draw from; none for all
   * @param skew 0 for all alike; logs of searches have around 0.8 to 1
   */
  public record Choice(List<QueryKind> kinds, double skew) {

    /** An unmodifiable copy. */
    public Choice {
      kinds = List.copyOf(kinds);
    }

    private boolean takes(QueryKind kind) {
      return kinds.isEmpty() || kinds.contains(kind);
    }
  }

  private ZipfQueries(List<List<BenchQuery>> lists, double skew) {
    this.lists = lists;
    this.sums = lists.stream().map(list -> sums(list.size(), skew)).toList();
  }

  /**
   * The queries of all sets, kind by kind.
   *
   * @param sets that were drawn from one index with different seeds
   * @return null if there are none of those kinds
   */
  public static ZipfQueries of(List<QuerySet> sets, Choice choice) {
    Map<QueryKind, List<BenchQuery>> byKind = new EnumMap<>(QueryKind.class);
    for (QuerySet set : sets) {
      set.queries()
          .forEach(
              (kind, list) -> {
                if (choice.takes(kind)) {
                  byKind.computeIfAbsent(kind, k -> new ArrayList<>()).addAll(list);
                }
              });
    }
    return byKind.isEmpty() ? null : new ZipfQueries(List.copyOf(byKind.values()), choice.skew());
  }

  private static double[] sums(int size, double skew) {
    double[] sums = new double[size];
    double sum = 0;
    for (int i = 0; i < size; i++) {
      sum += Math.pow(i + 1, -skew);
      sums[i] = sum;
    }
    return sums;
  }

  /** The next query. */
  public BenchQuery draw(SplittableRandom random) {
    int list = random.nextInt(lists.size());
    double[] weights = sums.get(list);
    int found = Arrays.binarySearch(weights, random.nextDouble() * weights[weights.length - 1]);
    int rank = found >= 0 ? found : -1 - found;
    return lists.get(list).get(Math.min(rank, weights.length - 1));
  }

  /** How many different ones there are. */
  public int size() {
    return lists.stream().mapToInt(List::size).sum();
  }
}
