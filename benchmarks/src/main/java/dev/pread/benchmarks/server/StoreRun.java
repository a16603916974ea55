/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.server;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.load.Arrivals;
import dev.pread.benchmarks.load.ClosedLoop;
import dev.pread.benchmarks.load.OpenLoop;
import dev.pread.benchmarks.machine.BlockDevice;
import dev.pread.benchmarks.machine.MemoryCgroup;
import dev.pread.benchmarks.measure.HitMismatch;
import dev.pread.benchmarks.result.Cell;
import dev.pread.benchmarks.result.Contender;
import dev.pread.benchmarks.result.Metric;
import dev.pread.benchmarks.suite.Session;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * One server with one store: searches it as fast as it goes, then at a rate, and records what that
 * cost. No search comes twice, or the second one would find in memory what the first one brought.
 */
final class StoreRun {
  private static final double NANOS_PER_MS = 1e6;

  /** Where in the list each phase begins: the first ones are those whose answers are compared. */
  private static final int WARMUP = SearchSet.SIZE / 10;

  private static final int CLOSED = 3 * WARMUP;
  private static final int OPEN = 7 * WARMUP;

  private final Session session;
  private final ServerOptions options;
  private final String store;
  private final RestClient rest;
  private final MemoryCgroup group;

  /**
   * @param rest of the server, which is in the group
   */
  StoreRun(
      Session session, ServerOptions options, String store, RestClient rest, MemoryCgroup group) {
    this.session = session;
    this.options = options;
    this.store = store;
    this.rest = rest;
    this.group = group;
  }

  private boolean isOurs() {
    return store.startsWith("pread");
  }

  /** What users of ours can see, and should look at: whether it reads as it is meant to. */
  void describe() throws IOException, UserError {
    if (!isOurs()) {
      return;
    }
    for (JsonNode node : rest.get("/_pread/stats").path("nodes")) {
      if (node.findPath("fell_back").asInt() > 0) {
        throw new UserError(
            store
                + " reads through the page cache here, since direct I/O was refused: name a folder on"
                + " another file system with --work, or leave it out of --stores");
      }
      session
          .recorder()
          .note(
              "server: "
                  + store
                  + ": backend "
                  + node.path("backend").asText()
                  + ", block cache of "
                  + (node.path("cache").path("size_in_bytes").asLong() >> 20)
                  + " MiB");
    }
  }

  /** The essence of answers, to be compared with those of other stores. */
  List<String> answers(SearchSet searches) throws IOException, UserError {
    return searches.answers(this::send);
  }

  /**
   * Searches per second, with connections that wait for an answer before they send the next.
   *
   * @param folder on the device that the index is on
   * @param recorded whether that is to be in the report
   */
  double closed(SearchSet searches, Path folder, boolean recorded)
      throws IOException, UserError, HitMismatch {
    ClosedLoop.run(
        options.clients(), options.warmup(), number -> send(searches.at(WARMUP, number)));
    BlockDevice device = BlockDevice.under(folder);
    BlockDevice.Traffic before = device.traffic();
    long faults = group.majorFaults();
    Histogram latencies =
        ClosedLoop.run(
            options.clients(), options.seconds(), number -> send(searches.at(CLOSED, number)));
    double count = Math.max(1, latencies.getTotalCount());
    if (recorded) {
      record(Metric.throughput("searches/s"), count / options.seconds());
      if (faults >= 0) {
        double more = (double) (group.majorFaults() - faults);
        record(Metric.listedCost("major faults", "per search"), more / count);
      }
      BlockDevice.Traffic traffic = device.traffic().since(before);
      if (traffic.read() >= 0) {
        double kibibytes = traffic.read() / 1024.0;
        record(Metric.listedCost("device read", "KiB per search"), kibibytes / count);
      }
    }
    return count / options.seconds();
  }

  /** Latencies of searches that arrive at a rate, however long they take. */
  void open(SearchSet searches, double rate) throws IOException, UserError, HitMismatch {
    OpenLoop.Detail open =
        new OpenLoop(
                options.clients(),
                Arrivals.poisson(rate, session.options().seed()),
                number -> send(searches.at(OPEN, number)))
            .runInDetail(OpenLoop.End.after(options.seconds()));
    Histogram latencies = open.latencies();
    record(Metric.fact("arrivals", "1/s"), rate);
    record(Metric.listedCost("unserved", ""), (double) open.unserved());
    record(Metric.listedCost("p50", "ms"), at(latencies, 50));
    record(Metric.cost("p99", "ms"), at(latencies, 99));
    record(Metric.cost("p99.9", "ms"), at(latencies, 99.9));
    record(Metric.listedCost("max", "ms"), at(latencies, 100));
    if (group.peakBytes() >= 0) {
      record(Metric.fact("peak memory", "MiB"), (group.peakBytes() >> 20) * 1.0);
    }
  }

  private static double at(Histogram latencies, double percentile) {
    return latencies.getValueAtPercentile(percentile) / NANOS_PER_MS;
  }

  private byte[] send(Search search) throws IOException {
    if (session.stop().requested()) {
      throw new IOException("stopped");
    }
    byte[] answer = rest.send(search.method(), search.path(), search.body());
    if (search.isPartial(answer)) {
      throw new IOException(
          search.path()
              + " was answered in part: "
              + RestClient.parse(search.path(), answer).path("_shards"));
    }
    return answer;
  }

  private void record(Metric metric, double value) throws IOException {
    session
        .recorder()
        .add(
            new Cell(
                ServerPart.NAME,
                Map.of("clients", Integer.toString(options.clients())),
                isOurs() ? Contender.ours(store) : Contender.other(store),
                metric,
                List.of(value)));
  }
}
