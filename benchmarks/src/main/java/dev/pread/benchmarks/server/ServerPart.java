/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.server;

import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.corpus.Corpora;
import dev.pread.benchmarks.load.Arrivals;
import dev.pread.benchmarks.load.ClosedLoop;
import dev.pread.benchmarks.load.OpenLoop;
import dev.pread.benchmarks.machine.BlockDevice;
import dev.pread.benchmarks.machine.ByteSize;
import dev.pread.benchmarks.machine.MemoryCgroup;
import dev.pread.benchmarks.machine.TestBed;
import dev.pread.benchmarks.machine.UnavailableException;
import dev.pread.benchmarks.measure.HitMismatch;
import dev.pread.benchmarks.result.Cell;
import dev.pread.benchmarks.result.Contender;
import dev.pread.benchmarks.result.Metric;
import dev.pread.benchmarks.suite.Session;
import dev.pread.benchmarks.suite.SuiteOptions;
import dev.pread.benchmarks.suite.SuitePart;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.apache.lucene.util.IOUtils;
import picocli.CommandLine.Mixin;

/**
 * Fills an index through a server without a limit, and then starts the server anew for each store
 * and round, within the limit and with none of the index in memory. The first round only finds out
 * how fast each is; half of what the slowest did is the rate at which all are asked from then on,
 * since latencies at different rates could not be compared.
 */
public final class ServerPart implements SuitePart {
  private static final String NAME = "server";
  private static final int SEARCHES = 6000;
  private static final int CHECKED = 120;
  private static final double SHARE = 0.5;
  private static final double NANOS_PER_MS = 1e6;

  @Mixin private ServerOptions options = new ServerOptions();

  /** With the defaults; picocli fills in what the user said. */
  public ServerPart() {}

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public void check(SuiteOptions suite) throws UserError {
    options.check(suite);
  }

  @Override
  public Map<String, Object> settings() {
    return options.describe();
  }

  @Override
  public void measure(Session session) throws IOException, UserError, HitMismatch {
    try (TestBed bed = session.bed(NAME, options.memory())) {
      new Rounds(session, bed).run();
    } catch (UnavailableException e) {
      session.recorder().skip(NAME, e.getMessage());
    } catch (IOException e) {
      // A terminal sends Ctrl-C to the server too, whose connections then end.
      if (!session.stop().requested()) {
        throw e;
      }
    }
  }

  /** One run. */
  private final class Rounds {
    private final Session session;
    private final TestBed bed;
    private final OpenSearchNode.Setup setup;
    private List<Search> searches;
    private List<String> answers;
    private double rate = Double.MAX_VALUE;

    Rounds(Session session, TestBed bed) {
      this.session = session;
      this.bed = bed;
      this.setup = options.setup(bed.folder().path().resolve("node"));
    }

    void run() throws IOException, UserError, HitMismatch, UnavailableException {
      if (!fill()) {
        return;
      }
      List<String> order = new ArrayList<>(options.stores());
      int rounds = session.options().rounds();
      int all = (rounds + 1) * order.size();
      int done = 0;
      session.progress().start(NAME);
      for (int round = 0; round <= rounds; round++) {
        for (String store : order) {
          if (session.stop().requested()) {
            return;
          }
          session.progress().update(done++ / (double) all, store);
          measure(store, round == 0);
        }
        Collections.rotate(order, -1);
      }
    }

    /** Makes the index, or takes a kept one, and the searches out of its text; false if stopped. */
    private boolean fill() throws IOException, UserError, HitMismatch {
      FilledIndex index = FilledIndex.kept(bed.folder().path(), options.origin());
      try (TextFeed feed =
          new TextFeed(() -> Corpora.open(options.corpus()), session.options().seed())) {
        if (index == null) {
          bed.folder().require(3 * options.indexSize());
          index = fill(feed);
        } else {
          feed.skipFirstCopy();
        }
        if (index == null) {
          return false;
        }
        searches =
            Search.draw(feed.sample(), index.documents(), SEARCHES, session.options().seed());
      }
      session
          .recorder()
          .note(
              String.format(
                  Locale.ROOT,
                  "server: OpenSearch %s, index of %,d documents, %s, one shard; its text is taken"
                      + " %s; memory limit %s, heap %s, %d connections",
                  index.version(),
                  index.documents(),
                  ByteSize.format(indexBytes()),
                  index.copies() == 1 ? "once" : index.copies() + " times, with other rare words",
                  ByteSize.format(options.memory()),
                  ByteSize.format(options.heap()),
                  options.clients()));
      return true;
    }

    private FilledIndex fill(TextFeed feed) throws IOException, UserError, HitMismatch {
      if (Files.exists(setup.folder())) {
        IOUtils.rm(setup.folder()); // Of another origin, or not complete.
      }
      try (OpenSearchNode node =
          OpenSearchNode.start(
              setup, options.settings(options.stores().get(0)), null, session.stop())) {
        if (node == null) {
          return null;
        }
        IndexFill fill = new IndexFill(node.rest(), feed, session.progress(), session.stop());
        long documents = fill.fill(options.indexSize());
        if (documents == 0) {
          return null;
        }
        FilledIndex index =
            new FilledIndex(
                options.origin(),
                node.rest().get("/").path("version").path("number").asText(),
                documents,
                feed.copies());
        index.keep(bed.folder().path());
        return index;
      }
    }

    private void measure(String store, boolean first)
        throws IOException, UserError, HitMismatch, UnavailableException {
      bed.drop(indexFiles());
      try (MemoryCgroup group = MemoryCgroup.create(options.memory());
          OpenSearchNode node =
              OpenSearchNode.start(setup, options.settings(store), group, session.stop())) {
        if (node == null || !node.awaitIndex(IndexFill.INDEX, session.stop())) {
          return;
        }
        try {
          check(store, node.rest());
          measure(store, node.rest(), group, first);
        } catch (IOException e) {
          if (!node.isAlive() && !session.stop().requested()) {
            throw new UserError(
                "the server with "
                    + store
                    + " has ended ("
                    + group.oomKills()
                    + " processes killed for want of memory): raise --memory, or lower --heap or its"
                    + " cache with --setting",
                e);
          }
          throw e;
        }
      }
    }

    /** The files of the index, while no server has them. */
    private List<Path> indexFiles() throws IOException {
      try (Stream<Path> paths = Files.walk(setup.folder().resolve("data"))) {
        return paths.filter(Files::isRegularFile).filter(Rounds::isOfIndex).toList();
      }
    }

    private static boolean isOfIndex(Path file) {
      return file.getParent().endsWith("index");
    }

    private long indexBytes() throws IOException {
      long bytes = 0;
      for (Path file : indexFiles()) {
        bytes += Files.size(file);
      }
      return bytes;
    }

    /** Every store has to answer as the first did. */
    private void check(String store, RestClient rest) throws IOException, HitMismatch {
      List<String> found = new ArrayList<>();
      for (Search search : searches.subList(0, CHECKED)) {
        byte[] answer = rest.send(search.method(), search.path(), search.body());
        found.add(search.essence(RestClient.parse(search.path(), answer)));
      }
      if (answers == null) {
        answers = found;
      }
      for (int i = 0; i < CHECKED; i++) {
        if (!found.get(i).equals(answers.get(i))) {
          Search search = searches.get(i);
          throw new HitMismatch(
              String.format(
                  Locale.ROOT,
                  "%s %s: %s answers [%s], and %s [%s]",
                  search.path(),
                  search.body() == null ? "" : search.body(),
                  store,
                  found.get(i),
                  options.stores().get(0),
                  answers.get(i)),
              null);
        }
      }
    }

    private void measure(String store, RestClient rest, MemoryCgroup group, boolean first)
        throws IOException, UserError, HitMismatch {
      OpenLoop.Request request = number -> send(rest, number);
      ClosedLoop.run(options.clients(), options.warmup(), request);
      if (session.stop().requested()) {
        return;
      }
      BlockDevice device = BlockDevice.under(setup.folder());
      BlockDevice.Traffic before = device.traffic();
      long faults = group.majorFaults();
      Histogram closed = ClosedLoop.run(options.clients(), options.seconds(), request);
      double perSecond = closed.getTotalCount() / options.seconds();
      if (first) {
        rate = Math.min(rate, Math.max(1, SHARE * perSecond));
        return;
      }
      record(store, Metric.throughput("searches/s"), perSecond);
      double count = Math.max(1, closed.getTotalCount());
      if (faults >= 0) {
        double more = (double) (group.majorFaults() - faults);
        record(store, Metric.listedCost("major faults", "per search"), more / count);
      }
      BlockDevice.Traffic traffic = device.traffic().since(before);
      if (traffic.read() >= 0) {
        record(
            store,
            Metric.listedCost("device read", "KiB per search"),
            traffic.read() / (1024 * count));
      }
      atRate(store, request);
      if (group.peakBytes() >= 0) {
        record(store, Metric.fact("peak memory", "MiB"), group.peakBytes() / (double) (1 << 20));
      }
    }

    private void atRate(String store, OpenLoop.Request request)
        throws IOException, UserError, HitMismatch {
      if (session.stop().requested()) {
        return;
      }
      OpenLoop.Detail open =
          new OpenLoop(options.clients(), Arrivals.poisson(rate, session.options().seed()), request)
              .runInDetail(OpenLoop.End.after(options.seconds()));
      Histogram latencies = open.latencies();
      record(store, Metric.fact("arrivals", "1/s"), rate);
      record(store, Metric.listedCost("unserved", ""), (double) open.unserved());
      record(store, Metric.listedCost("p50", "ms"), at(latencies, 50));
      record(store, Metric.cost("p99", "ms"), at(latencies, 99));
      record(store, Metric.cost("p99.9", "ms"), at(latencies, 99.9));
      record(store, Metric.listedCost("max", "ms"), at(latencies, 100));
    }

    private double at(Histogram latencies, double percentile) {
      return latencies.getValueAtPercentile(percentile) / NANOS_PER_MS;
    }

    private void send(RestClient rest, long number) throws IOException {
      Search search = searches.get((int) (number % searches.size()));
      byte[] answer = rest.send(search.method(), search.path(), search.body());
      if (search.isPartial(answer)) {
        throw new IOException(
            search.path()
                + " was answered in part: "
                + RestClient.parse(search.path(), answer).path("_shards"));
      }
    }

    private void record(String store, Metric metric, double value) throws IOException {
      boolean ours = store.startsWith("pread");
      session
          .recorder()
          .add(
              new Cell(
                  NAME,
                  new LinkedHashMap<>(Map.of("clients", Integer.toString(options.clients()))),
                  ours ? Contender.ours(store) : Contender.other(store),
                  metric,
                  List.of(value)));
    }
  }
}
