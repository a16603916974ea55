/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.measure;

import dev.pread.benchmarks.StopSignal;
import dev.pread.benchmarks.report.Progress;
import dev.pread.benchmarks.workload.Answer;
import dev.pread.benchmarks.workload.BenchQuery;
import dev.pread.benchmarks.workload.QueryKind;
import dev.pread.benchmarks.workload.QuerySet;
import java.io.IOException;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The first directory's answer to each query, which is what every directory has to answer each
 * time. Immutable once made.
 */
final class Expected {
  /** Long enough to see where two answers part, short enough for a terminal. */
  private static final int MAX_ANSWER_CHARS = 700;

  private final Contender reference;
  private final Map<QueryKind, Answer[]> answers = new EnumMap<>(QueryKind.class);

  private Expected(Contender reference) {
    this.reference = reference;
  }

  /**
   * Runs every query once through every directory, query by query.
   *
   * @return null if stopped on the way
   * @throws HitMismatch on the first answer that differs from the first directory's
   */
  static Expected verify(
      QuerySet set, List<Contender> contenders, Progress progress, StopSignal stop)
      throws HitMismatch {
    Expected expected = new Expected(contenders.get(0));
    int done = 0;
    for (Map.Entry<QueryKind, List<BenchQuery>> entry : set.queries().entrySet()) {
      QueryKind kind = entry.getKey();
      List<BenchQuery> queries = entry.getValue();
      expected.answers.put(kind, new Answer[queries.size()]);
      for (int i = 0; i < queries.size(); i++) {
        if (stop.requested()) {
          return null;
        }
        for (Contender contender : contenders) {
          Answer answer = expected.ask(kind, queries.get(i), contender);
          if (contender == expected.reference) {
            expected.answers.get(kind)[i] = answer;
          }
          expected.check(kind, queries, i, answer, contender);
        }
        progress.update((double) ++done / set.size(), kind.label());
      }
    }
    return expected;
  }

  /** Runs a query, and turns any failure into one that names it and the directory. */
  Answer ask(QueryKind kind, BenchQuery query, Contender contender) throws HitMismatch {
    try {
      return query.run(contender.searcher());
    } catch (IOException | RuntimeException | Error e) {
      throw new HitMismatch(
          contender.name() + " fails on the " + kind.label() + " query " + query + ": " + e, e);
    }
  }

  /** Compares the answer to the query at a position of the list with the expected one. */
  void check(
      QueryKind kind, List<BenchQuery> queries, int position, Answer answer, Contender contender)
      throws HitMismatch {
    BenchQuery query = queries.get(position);
    Answer right = answers.get(kind)[position];
    if (!query.same(right, answer)) {
      throw new HitMismatch(
          String.format(
              Locale.ROOT,
              "%s and %s return different hits for the %s query %s%n  %s: %s%n  %s: %s",
              reference.name(),
              contender.name(),
              kind.label(),
              query,
              reference.name(),
              shorten(right),
              contender.name(),
              shorten(answer)),
          null);
    }
  }

  private static String shorten(Answer answer) {
    String text = answer.toString();
    return text.length() <= MAX_ANSWER_CHARS ? text : text.substring(0, MAX_ANSWER_CHARS) + "...";
  }
}
