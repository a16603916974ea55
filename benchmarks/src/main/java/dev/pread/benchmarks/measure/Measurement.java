/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.measure;

import dev.pread.benchmarks.StopSignal;
import dev.pread.benchmarks.index.BenchQuery;
import dev.pread.benchmarks.index.BenchQuery.Answer;
import dev.pread.benchmarks.index.QueryKind;
import dev.pread.benchmarks.index.QuerySet;
import dev.pread.benchmarks.report.Progress;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;

/**
 * The course of a measurement. First every query is run once through every directory, and has to be
 * answered as by the first one; so has every later one. Then in every round each kind of query is
 * run through each directory, in an order that rotates, so that whatever the machine does meanwhile
 * hits all alike. Within a round all directories run <em>the same</em> queries, as many as fit the
 * time budget by what the warm-up took: with a fixed time instead, a slow directory would answer an
 * easier mix than a fast one.
 *
 * <p>All directories share one JVM. Its call sites see several input classes, as in a node with
 * several kinds of stores; an application with one directory may be a little faster with any.
 */
public final class Measurement {
  /** The part of the measuring time that the warm-up takes on top. */
  private static final double WARM_UP = 0.2;

  /** No round begins after this multiple of the measuring time. */
  private static final double PATIENCE = 1.5;

  /** Below this a 99th percentile says nothing. */
  private static final int MIN_QUERIES = 20;

  /** Long enough to see where two answers part, short enough for a terminal. */
  private static final int MAX_ANSWER_CHARS = 700;

  private final QuerySet set;
  private final List<Contender> contenders;
  private final Plan plan;
  private final Progress progress;
  private final StopSignal stop;
  private final Map<QueryKind, List<Answer>> expected = new EnumMap<>(QueryKind.class);
  private final List<Slot> slots = new ArrayList<>();

  /**
   * How much to measure.
   *
   * @param threads that search at the same time
   * @param seconds for all rounds together, warm-up not counted
   * @param rounds over which medians are taken
   */
  public record Plan(int threads, double seconds, int rounds) {}

  /** The contenders stay the caller's to close; the first one is the reference for all hits. */
  public Measurement(
      QuerySet set, List<Contender> contenders, Plan plan, Progress progress, StopSignal stop) {
    this.set = set;
    this.contenders = contenders;
    this.plan = plan;
    this.progress = progress;
    this.stop = stop;
  }

  /**
   * Checks, warms up and measures. If stopped, what was measured until then is the result.
   *
   * @return the figures of each round, in the order they were taken
   * @throws HitMismatch if a directory returns other hits than the first, or fails
   */
  public List<Slot> run() throws HitMismatch {
    progress.start("checking hits");
    check();
    if (!stop.requested()) {
      progress.finish(
          String.format(
              Locale.ROOT, "%,d queries return the same hits everywhere, checked", set.size()));
      try (ExecutorService pool = Executors.newFixedThreadPool(plan.threads())) {
        progress.start("warming up");
        Map<QueryKind, Long> counts = warmUp(pool);
        progress.start("measuring");
        measure(pool, counts);
        progress.wipe();
      }
    }
    return slots;
  }

  private void check() throws HitMismatch {
    int done = 0;
    for (QueryKind kind : set.queries().keySet()) {
      List<Answer> answers = new ArrayList<>();
      expected.put(kind, answers);
      for (int i = 0; i < set.queries().get(kind).size() && !stop.requested(); i++) {
        for (Contender contender : contenders) {
          Answer answer = ask(kind, i, contender);
          if (answers.size() == i) {
            answers.add(answer);
          }
          check(kind, i, answer, contender);
        }
        progress.update((double) ++done / set.size(), kind.label());
      }
    }
  }

  /** Runs a query, and turns any failure into one that names it and the directory. */
  private Answer ask(QueryKind kind, int position, Contender contender) throws HitMismatch {
    BenchQuery query = set.queries().get(kind).get(position);
    try {
      return query.run(contender.searcher());
    } catch (IOException | RuntimeException | Error e) {
      throw new HitMismatch(
          contender.name() + " fails on the " + kind.label() + " query " + query + ": " + e, e);
    }
  }

  private void check(QueryKind kind, int position, Answer answer, Contender contender)
      throws HitMismatch {
    BenchQuery query = set.queries().get(kind).get(position);
    Answer right = expected.get(kind).get(position);
    if (!query.same(right, answer)) {
      String reference = contenders.get(0).name();
      throw new HitMismatch(
          String.format(
              Locale.ROOT,
              "%s and %s return different hits for the %s query %s%n  %s: %s%n  %s: %s",
              reference,
              contender.name(),
              kind.label(),
              query,
              reference,
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

  /** Runs everything for a while, and tells how many queries of each kind fit a round. */
  private Map<QueryKind, Long> warmUp(ExecutorService pool) throws HitMismatch {
    double kinds = set.queries().size();
    long nanos = (long) (1e9 * plan.seconds() * WARM_UP / kinds / contenders.size());
    double roundNanos = 1e9 * plan.seconds() / plan.rounds() / kinds;
    Map<QueryKind, Long> counts = new EnumMap<>(QueryKind.class);
    for (QueryKind kind : set.queries().keySet()) {
      double nanosPerQuery = 0;
      for (Contender contender : contenders) {
        Slot slot = slot(pool, -1, new Stretch(kind, 0, Long.MAX_VALUE, nanos), contender);
        nanosPerQuery += slot.elapsedNanos() / (double) Math.max(1, slot.queries());
      }
      counts.put(kind, Math.max(MIN_QUERIES, (long) (roundNanos / nanosPerQuery)));
      progress.update(counts.size() / kinds, kind.label());
    }
    return counts;
  }

  private void measure(ExecutorService pool, Map<QueryKind, Long> counts) throws HitMismatch {
    double total = plan.rounds() * set.queries().size() * contenders.size();
    long start = System.nanoTime();
    for (int round = 0; round < plan.rounds(); round++) {
      int first = round;
      if (System.nanoTime() - start > 1e9 * plan.seconds() * PATIENCE) {
        return;
      }
      for (QueryKind kind : set.queries().keySet()) {
        first++;
        for (int turn = 0; turn < contenders.size(); turn++) {
          long count = counts.get(kind);
          Stretch stretch = new Stretch(kind, round * count, count, Long.MAX_VALUE);
          Slot slot =
              slot(pool, round, stretch, contenders.get((first + turn) % contenders.size()));
          if (stop.requested()) {
            return;
          }
          slots.add(slot);
          progress.update(
              slots.size() / total,
              "round " + (round + 1) + " of " + plan.rounds() + ", " + kind.label());
        }
      }
    }
  }

  /**
   * A stretch of the endless repetition of the queries of a kind.
   *
   * @param kind of the queries
   * @param from the first one's position; past the end it starts over
   * @param count how many to run at the most
   * @param maxNanos no query is begun later than this
   */
  private record Stretch(QueryKind kind, long from, long count, long maxNanos) {}

  /** Runs a stretch on all threads, which share the searcher. */
  private Slot slot(ExecutorService pool, int round, Stretch stretch, Contender contender)
      throws HitMismatch {
    AtomicLong next = new AtomicLong();
    List<Future<Histogram>> workers = new ArrayList<>();
    long start = System.nanoTime();
    for (int i = 0; i < plan.threads(); i++) {
      workers.add(pool.submit(() -> work(stretch, contender, next, start)));
    }
    Histogram all = new Histogram(3);
    long elapsed = 0;
    try {
      for (Future<Histogram> worker : workers) {
        all.add(worker.get());
        elapsed = System.nanoTime() - start;
      }
    } catch (ExecutionException e) {
      if (e.getCause() instanceof HitMismatch mismatch) {
        throw mismatch;
      }
      throw new IllegalStateException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while measuring", e);
    }
    return new Slot(
        round,
        stretch.kind(),
        contender.name(),
        all.getTotalCount(),
        elapsed,
        all.getValueAtPercentile(50),
        all.getValueAtPercentile(99),
        all.getMaxValue());
  }

  /** Takes the time of each query, and checks each answer. */
  private Histogram work(Stretch stretch, Contender contender, AtomicLong next, long start)
      throws HitMismatch {
    Histogram histogram = new Histogram(3);
    int size = set.queries().get(stretch.kind()).size();
    long before = System.nanoTime();
    long i;
    try {
      while ((i = next.getAndIncrement()) < stretch.count()
          && before - start < stretch.maxNanos()
          && !stop.requested()) {
        int position = (int) ((stretch.from() + i) % size);
        Answer answer = ask(stretch.kind(), position, contender);
        histogram.recordValue(System.nanoTime() - before);
        check(stretch.kind(), position, answer, contender);
        before = System.nanoTime();
      }
    } catch (HitMismatch e) {
      next.set(stretch.count());
      throw e;
    }
    return histogram;
  }
}
