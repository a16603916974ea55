/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.server;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pread.benchmarks.machine.BlockDevice;
import dev.pread.benchmarks.machine.ByteSize;
import dev.pread.benchmarks.machine.Load;
import dev.pread.benchmarks.machine.MemoryCgroup;
import dev.pread.benchmarks.machine.UserError;
import dev.pread.benchmarks.machine.WrongResult;
import dev.pread.benchmarks.report.Contender;
import dev.pread.benchmarks.report.Figures;
import dev.pread.benchmarks.report.Metric;
import dev.pread.benchmarks.suite.Session;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.DoubleSupplier;
import org.apache.lucene.util.IOFunction;

/**
 * Searches one server with one store as fast as it goes, then at a rate, and records what that
 * cost. No search comes twice, or the second one would find in memory what the first one brought.
 *
 * @param seconds of each measurement
 * @param store as the server calls it
 * @param group with the memory limit
 */
record StoreRun(
    Session session, double seconds, String store, RestClient rest, MemoryCgroup group) {
  /** The number of searches: more than are sent before the server is started anew. */
  static final int SEARCHES = 60_000;

  /** The number of connections that send them. */
  static final int CLIENTS = 8;

  private static final int CHECKED = 120;

  /**
   * The place in the list where this phase begins: the first searches are those whose answers are
   * compared.
   */
  private static final int WARMUP = SEARCHES / 10;

  private static final int CLOSED = 3 * WARMUP;
  private static final int OPEN = 7 * WARMUP;

  private record Conditions(int clients) {}

  private void record(Figures figures) throws IOException {
    Contender contender = isOurs() ? Contender.ours(store) : Contender.other(store);
    session.recorder().add(ServerCommand.NAME, contender, figures);
  }

  private boolean isOurs() {
    return store.startsWith("pread");
  }

  /** Notes what users of ours can see and should look at: whether it reads as it is meant to. */
  void describe() throws IOException {
    String version = rest.get("/").path("version").path("number").asText();
    session.note("server: OpenSearch " + version);
    for (JsonNode node : isOurs() ? rest.get("/_pread/stats").path("nodes") : List.<JsonNode>of()) {
      if (node.findPath("fell_back").asInt() > 0) {
        throw new UserError(
            store
                + " reads through the page cache here, since direct I/O was refused: name a folder"
                + " on another file system with --work, or leave it out of --stores");
      }
      String cache = ByteSize.format(node.path("cache").path("size_in_bytes").asLong());
      String backend = node.path("backend").asText();
      session.note("server: " + store + ": backend " + backend + ", block cache of " + cache);
    }
  }

  /**
   * Compares the answers to the first searches.
   *
   * @param expected answers of the first store; null if this is the first
   * @return the answers
   * @throws WrongResult naming the first that differs
   * @throws UserError if a form of search never finds anything: that would measure nothing
   */
  List<String> check(List<Search> searches, List<String> expected) throws IOException {
    return check(searches.subList(0, CHECKED), expected, store, this::send);
  }

  static List<String> check(
      List<Search> searches, List<String> expected, String store, IOFunction<Search, byte[]> server)
      throws IOException {
    List<String> answers = new ArrayList<>();
    Set<Search.Form> empty = EnumSet.allOf(Search.Form.class);
    for (Search search : searches) {
      JsonNode answer = RestClient.parse(search.path(), server.apply(search));
      String essence = Search.essence(answer);
      if (Search.finds(answer)) {
        empty.remove(search.form());
      }
      if (expected != null && !essence.equals(expected.get(answers.size()))) {
        throw new WrongResult(
            String.format(
                Locale.ROOT,
                "%s %s: %s answers [%s], and the first store [%s]",
                search.path(),
                search.body(),
                store,
                essence,
                expected.get(answers.size())));
      }
      answers.add(essence);
    }
    if (!empty.isEmpty()) {
      throw new UserError(
          "no search of the forms " + empty + " finds anything: name another text with --corpus");
    }
    return answers;
  }

  /** Sends the searches of a phase. */
  private Load.Request phase(List<Search> searches, int from) {
    return number -> send(searches.get((int) ((from + number) % SEARCHES)));
  }

  /**
   * Measures searches per second, with connections that wait for an answer before they send the
   * next.
   *
   * @param device that the index is on
   * @param recorded whether that is to be in the report
   */
  double closed(List<Search> searches, BlockDevice device, boolean recorded) throws IOException {
    Load.closed(CLIENTS, seconds * 2 / 3, phase(searches, WARMUP));
    BlockDevice.Traffic before = device.traffic();
    long faults = group.majorFaults();
    Load.Outcome outcome = Load.closed(CLIENTS, seconds, phase(searches, CLOSED));
    double count = Math.max(1, outcome.latencies().getTotalCount());
    if (recorded) {
      Figures figures = Figures.under(new Conditions(CLIENTS));
      figures.add(Metric.throughput("searches/s"), count / seconds);
      if (faults >= 0) {
        double more = (group.majorFaults() - faults) / count;
        figures.add(Metric.listedCost("major faults", "per search"), more);
      }
      long read = device.traffic().since(before).read();
      if (read >= 0) {
        figures.add(Metric.listedCost("device read", "KiB per search"), read / 1024.0 / count);
      }
      record(figures);
    }
    return count / seconds;
  }

  /** Measures the latencies of searches that arrive at a rate, however long they take. */
  void open(List<Search> searches, double rate) throws IOException {
    DoubleSupplier arrivals = Load.poisson(rate, session.options().seed());
    Load.Outcome open =
        Load.open(CLIENTS, arrivals, Load.End.after(seconds), phase(searches, OPEN));
    Figures figures = Figures.under(new Conditions(CLIENTS));
    figures.add(Metric.fact("arrivals", "1/s"), rate);
    figures.add(Metric.listedCost("unserved", ""), (double) open.unserved());
    figures.addLatencies(open.latencies(), "ms");
    if (group.peakBytes() >= 0) {
      figures.add(Metric.fact("peak memory", "MiB"), (double) (group.peakBytes() >> 20));
    }
    record(figures);
  }

  private byte[] send(Search search) throws IOException {
    session.stop().check();
    byte[] answer = rest.send(search.method(), search.path(), search.body());
    if (search.isPartial(answer)) {
      JsonNode shards = RestClient.parse(search.path(), answer).path("_shards");
      throw new IOException(search.path() + " was answered in part: " + shards);
    }
    return answer;
  }
}
