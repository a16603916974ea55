/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.search;

import dev.pread.PreadDirectory;
import dev.pread.benchmarks.index.BenchQuery;
import dev.pread.benchmarks.index.BenchQuery.Answer;
import dev.pread.benchmarks.index.DirectoryKind;
import dev.pread.benchmarks.index.IndexBuilder;
import dev.pread.benchmarks.index.Kept;
import dev.pread.benchmarks.index.QueryDraw;
import dev.pread.benchmarks.index.QueryKind;
import dev.pread.benchmarks.machine.ByteSize;
import dev.pread.benchmarks.machine.Load;
import dev.pread.benchmarks.machine.UserError;
import dev.pread.benchmarks.machine.WrongResult;
import dev.pread.benchmarks.report.Cell;
import dev.pread.benchmarks.report.Figures;
import dev.pread.benchmarks.report.Machine;
import dev.pread.benchmarks.report.Metric;
import dev.pread.benchmarks.suite.IndexOptions;
import dev.pread.benchmarks.suite.Session;
import dev.pread.benchmarks.suite.SuiteCommand;
import dev.pread.benchmarks.suite.SuiteOptions;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.apache.commons.math3.stat.StatUtils;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FSDirectory;
import org.apache.lucene.util.IOUtils;
import org.apache.lucene.util.Version;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Gets an index, opens it several times, and compares. First every query is run once through every
 * directory, and has to be answered as by the first one; so has every later one. Then in every
 * round each kind of query is run through each directory, in an order that rotates, so that
 * whatever the machine does meanwhile hits all alike. Within a round all directories run <em>the
 * same</em> queries, as many as fit the time budget by what the warm-up took: with a fixed time
 * instead, a slow directory would answer an easier mix than a fast one. Ratios to the first
 * directory are taken within each round, between stretches that ran one after the other: what
 * disturbs a whole round falls out.
 *
 * <p>All directories share one JVM. Its call sites see several input classes, as in a node with
 * several kinds of stores; an application with one directory may be a little faster with any.
 */
@Command(
    name = "compare",
    description = {
      "Searches one index through several directories in turn, checks that all return the same"
          + " hits, and prints throughput, latency and the ratio to the first for nine kinds"
          + " of queries. Without options it indexes the JDK's own source.",
      "All of it runs in this process, without a memory limit and with the device's read-ahead as"
          + " it is: nothing of the machine is changed."
    })
public final class CompareCommand extends SuiteCommand {
  private static final int ROUNDS = 5;

  /** The part of the measuring time that the warm-up takes on top. */
  private static final double WARM_UP = 0.2;

  /** With fewer queries a 99th percentile says nothing. */
  private static final int MIN_QUERIES = 20;

  @Mixin private IndexOptions sources = new IndexOptions();

  @Option(names = "--index", paramLabel = "DIR")
  private Path index;

  @Option(
      names = "--directories",
      paramLabel = "NAME",
      split = ",",
      defaultValue = "mmap,niofs,pread")
  private List<String> directories;

  @Option(names = "--threads", paramLabel = "N", defaultValue = "1")
  private int threads;

  @Option(names = "--seconds", paramLabel = "S")
  private Double seconds;

  private List<DirectoryKind> kinds;

  /** The index through each of them; the first one is the reference for all hits and ratios. */
  private final List<Opened> opened = new ArrayList<>();

  private Map<QueryKind, List<BenchQuery>> queries;

  /** Answers of the first one, found out while running; by the identity of the queries. */
  private final IdentityHashMap<BenchQuery, Answer> expected = new IdentityHashMap<>();

  /**
   * An index through one directory. The searcher has no executor and no query cache, so that a
   * query is one thread's work and is done each time.
   */
  private record Opened(DirectoryKind kind, DirectoryReader reader, IndexSearcher searcher)
      implements Closeable {

    /** Opens the latest commit, without a lock and without writing. */
    static Opened open(DirectoryKind kind, Path index) throws IOException {
      FSDirectory directory = kind.openForReading(index);
      try {
        DirectoryReader reader = DirectoryReader.open(directory);
        IndexSearcher searcher = new IndexSearcher(reader);
        searcher.setQueryCache(null);
        return new Opened(kind, reader, searcher);
      } catch (Throwable t) {
        IOUtils.closeWhileHandlingException(directory);
        throw t;
      }
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

  @Override
  public void check(SuiteOptions suite) {
    suite.rounds(ROUNDS);
    suite.leaveReadAhead();
    suite.memory(0);
    seconds = seconds != null ? seconds : Double.valueOf(suite.quick() ? 1 : 60);
    if (index == null) {
      sources.check();
    } else if (sources.corpus() != null) {
      throw new UserError(
          "--index is an index that is there, --corpus a text: leave one of them out");
    } else if (!Files.isDirectory(index)) {
      throw new UserError("index " + index + " does not exist: name the folder of a Lucene index");
    }
    kinds = DirectoryKind.named(directories);
  }

  @Override
  protected void measure(Session current) throws IOException {
    session = current;
    if (index == null) {
      super.measure(current);
    } else {
      search(index, index.toString());
    }
  }

  @Override
  protected void measureOnBed() throws IOException {
    Path work = bed.folder().path();
    Path built = work.resolve("index");
    Path corpus = sources.corpus();
    String origin = corpus.toAbsolutePath() + "|" + Files.size(corpus);
    Kept.take(work, built, origin, folder -> build(folder, origin));
    search(built, corpus.toString());
  }

  private Kept build(Path folder, String origin) throws IOException {
    try (Directory directory = new PreadDirectory(folder)) {
      long docs = IndexBuilder.build(directory, sources.corpus(), session.progress());
      return new Kept(origin, docs, 1);
    }
  }

  private void search(Path folder, String what) throws IOException {
    try {
      for (DirectoryKind kind : kinds) {
        try {
          opened.add(Opened.open(kind, folder));
        } catch (IOException | IllegalArgumentException e) {
          String words = " cannot be opened through " + kind + " by Lucene " + Version.LATEST;
          String said = "index " + folder + words + ": " + e;
          // What another one could open is not the user's mistake.
          throw opened.isEmpty() ? new UserError(said, e) : new WrongResult(said, e);
        }
      }
      if (opened.stream().map(one -> one.reader().getVersion()).distinct().count() > 1) {
        throw new UserError(
            "index " + folder + " changed while it was opened: stop its writer, or take a copy");
      }
      session.progress().start("drawing queries");
      queries = QueryDraw.draw(opened.get(0).searcher(), SEED);
      if (queries.isEmpty()) {
        throw new UserError("index " + folder + " has nothing to query: name another");
      }
      describe(what);
      for (QueryKind kind : QueryKind.values()) {
        if (!queries.containsKey(kind)) {
          session.skip(name() + ": " + kind.label(), "no field of the index suits it");
        }
      }
      measureAll();
    } finally {
      IOUtils.close(opened);
    }
  }

  private void describe(String what) throws IOException {
    Opened first = opened.get(0);
    int documents = first.reader().numDocs();
    int segments = first.reader().leaves().size();
    long bytes = 0;
    for (String file : first.reader().getIndexCommit().getFileNames()) {
      bytes += first.reader().directory().fileLength(file);
    }
    long free = Machine.availableMemory().orElse(Long.MAX_VALUE);
    session.note(
        String.format(
            Locale.ROOT,
            "%s: %,d documents, %d segments, %s, and %s of memory free for the page cache",
            what,
            documents,
            segments,
            ByteSize.format(bytes),
            ByteSize.format(free)));
    session.note(
        "vector module "
            + (Machine.hasVectorModule() ? "on" : "off: add --add-modules jdk.incubator.vector"));
    for (Opened one : opened) {
      if (one.reader().directory() instanceof PreadDirectory directory) {
        session.note(one + " reads through the backend " + directory.backendName());
      }
    }
  }

  /**
   * Checks, warms up and measures; if stopped, what was measured until then is recorded.
   *
   * @throws WrongResult if a directory returns other hits than the first
   */
  private void measureAll() throws IOException {
    checkAll();
    Map<QueryKind, Long> counts = warmUp();
    List<QueryKind> kinds = List.copyOf(queries.keySet());
    try {
      session.rounds(
          name(),
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
        expected.put(query, ask(kind, query, opened.get(0)));
        for (Opened directory : opened) {
          check(kind, query, directory);
        }
        session.progress().update((double) ++done / all, kind.label());
      }
    }
    String words = String.format(Locale.ROOT, "%,d queries return the same hits", all);
    session.progress().finish(words + " everywhere, checked");
  }

  /** Runs a query, and turns any failure into one that names it and the directory. */
  private static Answer ask(QueryKind kind, BenchQuery query, Opened directory) {
    try {
      return query.run(directory.searcher());
    } catch (IOException | RuntimeException e) {
      throw new WrongResult(directory + " fails on the " + kind.label() + " query " + query, e);
    }
  }

  private void check(QueryKind kind, BenchQuery query, Opened directory) {
    Answer right = expected.get(query);
    Answer answer = ask(kind, query, directory);
    if (!query.same(right, answer)) {
      throw new WrongResult(
          String.format(
              Locale.ROOT,
              "%s and %s return different hits for the %s query %s%n  %1$s: %5$.700s%n  %2$s:"
                  + " %6$.700s",
              opened.get(0),
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
    long nanos = (long) (1e9 * seconds * WARM_UP / kinds / opened.size());
    double roundNanos = 1e9 * seconds / session.options().rounds() / kinds;
    Map<QueryKind, Long> counts = new EnumMap<>(QueryKind.class);
    for (QueryKind kind : queries.keySet()) {
      double nanosPerQuery = 0;
      for (Opened directory : opened) {
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
    for (Opened directory : Session.rotated(opened, round + place)) {
      ran.put(directory, run(kind, directory, round * count, count, Long.MAX_VALUE));
    }
    for (Opened directory : opened) {
      record(kind, directory, ran.get(directory), ran.get(opened.get(0)));
    }
  }

  private Metric relative() {
    return new Metric("vs " + opened.get(0), "", Metric.Better.NEITHER, true);
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
            threads,
            number ->
                number < count
                    && (maxNanos == Long.MAX_VALUE || System.nanoTime() - start < maxNanos),
            number -> {
              session.stop().check();
              check(kind, list.get((int) ((from + number) % list.size())), directory);
            });
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
    session.recorder().add(name(), directory.kind().contender(), figures);
  }

  /** Records the geometric means of the ratios of all kinds, which are medians over the rounds. */
  private void means() throws IOException {
    List<Cell> ratios =
        session.recorder().run(false).cells().stream()
            .filter(cell -> cell.metric().equals(relative()))
            .toList();
    for (Opened directory : opened) {
      double[] medians =
          ratios.stream()
              .filter(cell -> cell.contender().equals(directory.kind().contender()))
              .mapToDouble(Cell::median)
              .toArray();
      if (medians.length > 0) {
        Figures figures = Figures.under(new Conditions("geometric mean"));
        figures.add(relative(), StatUtils.geometricMean(medians));
        session.recorder().add(name(), directory.kind().contender(), figures);
      }
    }
  }
}
