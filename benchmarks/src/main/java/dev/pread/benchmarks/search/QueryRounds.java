/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.search;

import dev.pread.benchmarks.index.BenchQuery;
import dev.pread.benchmarks.index.BenchQuery.Answer;
import dev.pread.benchmarks.index.DirectoryKind;
import dev.pread.benchmarks.index.QueryKind;
import dev.pread.benchmarks.machine.Load;
import dev.pread.benchmarks.machine.WrongResult;
import dev.pread.benchmarks.report.Cell;
import dev.pread.benchmarks.report.Figures;
import dev.pread.benchmarks.report.Metric;
import dev.pread.benchmarks.suite.Session;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.apache.commons.math3.stat.StatUtils;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.util.IOUtils;

/**
 * Runs a comparison. First every query is run once through every directory, and has to be answered
 * as by the first one; so has every later one. Then in every round each kind of query is run
 * through each directory, in an order that rotates, so that whatever the machine does meanwhile
 * hits all alike. Within a round all directories run <em>the same</em> queries, as many as fit the
 * time budget by what the warm-up took: with a fixed time instead, a slow directory would answer an
 * easier mix than a fast one. Ratios to the first directory are taken within each round, between
 * stretches that ran one after the other: what disturbs a whole round falls out.
 *
 * <p>All directories share one JVM. Its call sites see several input classes, as in a node with
 * several kinds of stores; an application with one directory may be a little faster with any.
 *
 * @param directories the first one is the reference for all hits and ratios
 * @param expected answers of it, found out while running; by the identity of the queries
 */
record QueryRounds(
    Session session,
    CompareCommand command,
    List<Opened> directories,
    Map<QueryKind, List<BenchQuery>> queries,
    Map<BenchQuery, Answer> expected) {
  /**
   * An index through one directory. The searcher has no executor and no query cache, so that a
   * query is one thread's work and is done each time.
   */
  record Opened(DirectoryKind kind, DirectoryReader reader, IndexSearcher searcher)
      implements Closeable {

    /** Opens the latest commit, without a lock and without writing. */
    static Opened open(DirectoryKind kind, Path index) throws IOException {
      DirectoryReader reader = DirectoryReader.open(kind.openForReading(index));
      IndexSearcher searcher = new IndexSearcher(reader);
      searcher.setQueryCache(null);
      return new Opened(kind, reader, searcher);
    }

    @Override
    public void close() throws IOException {
      IOUtils.close(reader, reader.directory());
    }

    @Override
    public String toString() {
      return kind.name();
    }
  }

  /** The part of the measuring time that the warm-up takes on top. */
  private static final double WARM_UP = 0.2;

  /** With fewer queries a 99th percentile says nothing. */
  private static final int MIN_QUERIES = 20;

  /**
   * Checks, warms up and measures; if stopped, what was measured until then is recorded.
   *
   * @throws WrongResult if a directory returns other hits than the first
   */
  void run() throws IOException {
    checkAll();
    Map<QueryKind, Long> counts = warmUp();
    List<QueryKind> kinds = List.copyOf(queries.keySet());
    try {
      session.rounds(
          command.name(),
          kinds,
          (kind, round) -> measure(kind, kinds.indexOf(kind), round, counts.get(kind)));
    } finally {
      means();
    }
  }

  private void checkAll() throws IOException {
    session.progress().start("checking hits");
    int all = queries.values().stream().mapToInt(List::size).sum();
    int done = 0;
    for (QueryKind kind : queries.keySet()) {
      for (BenchQuery query : queries.get(kind)) {
        if (!session.stop().requested()) {
          expected.put(query, query.run(directories.get(0).searcher()));
          for (Opened directory : directories) {
            check(kind, query, directory);
          }
          session.progress().update((double) ++done / all, kind.label());
        }
      }
    }
    if (done == all) {
      String words = String.format(Locale.ROOT, "%,d queries return the same hits", all);
      session.progress().finish(words + " everywhere, checked");
    }
  }

  private void check(QueryKind kind, BenchQuery query, Opened directory) throws IOException {
    Answer right = expected.get(query);
    Answer answer = query.run(directory.searcher());
    if (!query.same(right, answer)) {
      throw new WrongResult(
          String.format(
              Locale.ROOT,
              "%s and %s return different hits for the %s query %s%n  %1$s: %5$.700s%n  %2$s:"
                  + " %6$.700s",
              directories.get(0),
              directory,
              kind.label(),
              query,
              right,
              answer));
    }
  }

  /** Runs everything for a while, and tells how many queries of each kind fit a round. */
  private Map<QueryKind, Long> warmUp() throws IOException {
    session.progress().start("warming up");
    double kinds = queries.size();
    long nanos = (long) (1e9 * command.seconds * WARM_UP / kinds / directories.size());
    double roundNanos = 1e9 * command.seconds / session.options().rounds() / kinds;
    Map<QueryKind, Long> counts = new EnumMap<>(QueryKind.class);
    for (QueryKind kind : queries.keySet()) {
      double nanosPerQuery = 0;
      for (Opened directory : directories) {
        nanosPerQuery += 1e9 / run(kind, directory, 0, Long.MAX_VALUE, nanos).perSecond();
      }
      counts.put(kind, Math.max(MIN_QUERIES, (long) (roundNanos / nanosPerQuery)));
      session.progress().update(counts.size() / kinds, kind.label());
    }
    return counts;
  }

  private void measure(QueryKind kind, int place, int round, long count) throws IOException {
    Map<Opened, Ran> ran = new HashMap<>();
    // The order depends on the kind's place too, so that no directory is the first for all kinds of
    // a round.
    for (Opened directory : Session.rotated(directories, round + place)) {
      ran.put(directory, run(kind, directory, round * count, count, Long.MAX_VALUE));
    }
    if (!session.stop().requested()) {
      for (Opened directory : directories) {
        record(kind, directory, ran.get(directory), ran.get(directories.get(0)));
      }
    }
  }

  private Metric relative() {
    return new Metric("vs " + directories.get(0), "", Metric.Better.NEITHER, true);
  }

  private record Conditions(String query) {}

  private record Ran(Histogram latencies, long nanos) {
    double perSecond() {
      return Math.max(1, latencies.getTotalCount()) * 1e9 / nanos;
    }
  }

  /**
   * Runs queries of a kind on all threads, which share the searcher.
   *
   * @param from the first one's number; past the end the list starts over
   * @param count how many to run at the most
   * @param maxNanos no query is begun later than this
   */
  private Ran run(QueryKind kind, Opened directory, long from, long count, long maxNanos)
      throws IOException {
    List<BenchQuery> list = queries.get(kind);
    long start = System.nanoTime();
    Histogram latencies =
        Load.closed(
            command.threads,
            number ->
                number < count
                    && (maxNanos == Long.MAX_VALUE || System.nanoTime() - start < maxNanos)
                    && !session.stop().requested(),
            number -> check(kind, list.get((int) ((from + number) % list.size())), directory));
    return new Ran(latencies, System.nanoTime() - start);
  }

  private void record(QueryKind kind, Opened directory, Ran ran, Ran ofBase) throws IOException {
    Figures figures = Figures.under(new Conditions(kind.label()));
    figures.add(Metric.throughput("queries/s"), ran.perSecond());
    figures.add(Metric.cost("p50", "us"), ran.latencies().getValueAtPercentile(50) / 1e3);
    figures.add(Metric.cost("p99", "us"), ran.latencies().getValueAtPercentile(99) / 1e3);
    figures.add(relative(), ran.perSecond() / ofBase.perSecond());
    figures.add(Metric.listedCost("max", "us"), ran.latencies().getMaxValue() / 1e3);
    figures.add(Metric.fact("queries", ""), (double) ran.latencies().getTotalCount());
    session.recorder().add(command.name(), directory.kind().contender(), figures);
  }

  /** Records the geometric means of the ratios of all kinds, which are medians over the rounds. */
  private void means() throws IOException {
    List<Cell> ratios =
        session.recorder().run(false).cells().stream()
            .filter(cell -> cell.metric().equals(relative()))
            .toList();
    for (Opened directory : directories) {
      double[] medians =
          ratios.stream()
              .filter(cell -> cell.contender().equals(directory.kind().contender()))
              .mapToDouble(Cell::median)
              .toArray();
      if (medians.length > 0) {
        Figures figures = Figures.under(new Conditions("geometric mean"));
        figures.add(relative(), StatUtils.geometricMean(medians));
        session.recorder().add(command.name(), directory.kind().contender(), figures);
      }
    }
  }
}
