/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.measure;

import dev.pread.benchmarks.StopSignal;
import dev.pread.benchmarks.report.Progress;
import dev.pread.benchmarks.workload.BenchQuery;
import dev.pread.benchmarks.workload.QueryKind;
import dev.pread.benchmarks.workload.QuerySet;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The course of a measurement. In every round each kind of query is run through each directory, in
 * an order that rotates, so that whatever the machine does meanwhile hits all alike. Within a round
 * all directories run <em>the same</em> queries, as many as fit the time budget by what the warm-up
 * took: with a fixed time instead, a slow directory would answer an easier mix than a fast one.
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

  private final QuerySet set;
  private final List<Contender> contenders;
  private final Plan plan;
  private final Progress progress;
  private final StopSignal stop;
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
    Expected expected = Expected.verify(set, contenders, progress, stop);
    if (expected == null) {
      return slots;
    }
    progress.finish(
        String.format(
            Locale.ROOT, "%,d queries return the same hits everywhere, checked", set.size()));
    try (SlotRunner runner = new SlotRunner(plan.threads(), expected, stop)) {
      progress.start("warming up");
      Map<QueryKind, Long> counts = warmUp(runner);
      progress.start("measuring");
      measure(runner, counts);
      progress.wipe();
    }
    return slots;
  }

  /** Runs everything for a while, and tells how many queries of each kind fit a round. */
  private Map<QueryKind, Long> warmUp(SlotRunner runner) throws HitMismatch {
    double total = set.queries().size() * contenders.size();
    long nanos = nanos(plan.seconds() * WARM_UP / total);
    double roundNanos = nanos(plan.seconds()) / (double) plan.rounds() / set.queries().size();
    Map<QueryKind, Long> counts = new EnumMap<>(QueryKind.class);
    int done = 0;
    for (Map.Entry<QueryKind, List<BenchQuery>> entry : set.queries().entrySet()) {
      double nanosPerQuery = 0;
      for (Contender contender : contenders) {
        Slot slot =
            runner.run(
                -1,
                new SlotRunner.Stretch(entry.getKey(), entry.getValue(), 0, Long.MAX_VALUE, nanos),
                contender);
        if (slot == null) {
          return counts;
        }
        nanosPerQuery += slot.elapsedNanos() / (double) Math.max(1, slot.queries());
        progress.update(++done / total, entry.getKey().label());
      }
      counts.put(entry.getKey(), Math.max(MIN_QUERIES, (long) (roundNanos / nanosPerQuery)));
    }
    return counts;
  }

  private void measure(SlotRunner runner, Map<QueryKind, Long> counts) throws HitMismatch {
    double total = plan.rounds() * set.queries().size() * contenders.size();
    long start = System.nanoTime();
    for (int round = 0; round < plan.rounds(); round++) {
      int first = round;
      if (System.nanoTime() - start > nanos(plan.seconds() * PATIENCE)) {
        return;
      }
      for (Map.Entry<QueryKind, List<BenchQuery>> entry : set.queries().entrySet()) {
        QueryKind kind = entry.getKey();
        first++;
        for (int turn = 0; turn < contenders.size(); turn++) {
          if (stop.requested()) {
            return;
          }
          int who = (first + turn) % contenders.size();
          long count = counts.get(kind);
          Slot slot =
              runner.run(
                  round,
                  new SlotRunner.Stretch(
                      kind, entry.getValue(), round * count, count, Long.MAX_VALUE),
                  contenders.get(who));
          if (slot != null) {
            slots.add(slot);
            progress.update(
                slots.size() / total,
                "round " + (round + 1) + " of " + plan.rounds() + ", " + kind.label());
          }
        }
      }
    }
  }

  private static long nanos(double seconds) {
    return (long) (seconds * TimeUnit.SECONDS.toNanos(1));
  }
}
