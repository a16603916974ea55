/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.server;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pread.benchmarks.index.IndexFiles;
import dev.pread.benchmarks.index.Kept;
import dev.pread.benchmarks.index.TextFeed;
import dev.pread.benchmarks.machine.BlockDevice;
import dev.pread.benchmarks.machine.ByteSize;
import dev.pread.benchmarks.machine.ChildJvm;
import dev.pread.benchmarks.machine.Load;
import dev.pread.benchmarks.machine.UserError;
import dev.pread.benchmarks.machine.WrongResult;
import dev.pread.benchmarks.report.Contender;
import dev.pread.benchmarks.report.Figures;
import dev.pread.benchmarks.report.Metric;
import dev.pread.benchmarks.suite.IndexOptions;
import dev.pread.benchmarks.suite.SuiteCommand;
import dev.pread.benchmarks.suite.SuiteOptions;
import dev.pread.harness.MemoryCgroup;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.apache.lucene.util.IOFunction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Measures searches over HTTP with little memory. It fills an index through a server without a
 * limit, and then starts the server anew for each store and round, within the limit and with none
 * of the index in memory; searches it as fast as it goes, and then at a rate. The first round only
 * finds out how fast each is; half of what the slowest did is the rate at which all are asked from
 * then on, since latencies at different rates could not be compared. No search comes twice to a
 * server, or the second one would find in memory what the first one brought.
 */
@Command(name = "server")
public final class ServerCommand extends SuiteCommand {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final double LOAD_FACTOR = 0.5;
  private static final int SAMPLE_TEXTS = 4000;

  /** The number of searches: more than are sent before the server is started anew. */
  private static final int SEARCHES = 60_000;

  /** The first searches are those whose answers are compared. */
  private static final int CHECKED = 120;

  /** The index in the list of searches where a phase begins. */
  private static final int WARMUP_START = SEARCHES / 10;

  private static final int CLOSED_LOOP_START = 3 * WARMUP_START;
  private static final int OPEN_LOOP_START = 7 * WARMUP_START;
  private static final int CLIENTS = 8;

  /** The default limit, which has room for a server with its heap and some of the index. */
  private static final long MEMORY = 1536 * MEBI;

  @Option(names = "--home", paramLabel = "DIR", required = true)
  Path home;

  @Option(
      names = "--stores",
      paramLabel = "NAME",
      split = ",",
      defaultValue = "hybridfs,niofs,mmapfs,pread,pread_direct")
  List<String> stores;

  @Option(names = "--heap", paramLabel = "SIZE", defaultValue = "512m")
  Long heap;

  @Option(names = "--index-size", paramLabel = "SIZE")
  Long indexSize;

  @Option(names = "--seconds", paramLabel = "S")
  Double seconds;

  @Option(names = "--setting", paramLabel = "STORE=NAME=VALUE")
  List<String> settings = List.of();

  @Mixin IndexOptions sources = new IndexOptions();

  private Path folder;
  private List<Search> searches;
  private List<String> answers;
  private double rate = Double.MAX_VALUE;

  @Override
  public void check(SuiteOptions suite) {
    if (!Files.isExecutable(home.resolve("bin/opensearch"))) {
      throw new UserError(
          "--home " + home + " has no bin/opensearch: name the folder of an OpenSearch");
    }
    home = home.toAbsolutePath().normalize();
    memory = suite.memory(MEMORY);
    indexSize =
        indexSize != null ? indexSize : Long.valueOf(suite.quick() ? 16 * MEBI : 4 * memory);
    seconds = seconds != null ? seconds : Double.valueOf(suite.quick() ? 1 : 30);
    stores = stores.stream().distinct().toList();
    for (String setting : settings) {
      if (stores.stream().noneMatch(store -> setting.matches(store + "=[^=\\s]+=.*"))) {
        String words = "write STORE=NAME=VALUE, with a store out of " + String.join(", ", stores);
        throw new UserError("--setting " + setting + ": " + words);
      }
    }
    sources.check();
  }

  List<String> settings(String store) {
    Stream<String> own =
        settings.stream()
            .filter(setting -> setting.startsWith(store + "="))
            .map(setting -> setting.substring(store.length() + 1));
    return Stream.concat(Stream.of("index.store.type=" + store), own).toList();
  }

  private record Conditions(int clients) {}

  @Override
  protected void measureOnBed() throws IOException {
    folder = bed.folder().path().resolve("node");
    Path corpus = sources.corpus();
    long bytes = Files.size(corpus);
    String origin = corpus.toAbsolutePath() + "|" + bytes + "|" + indexSize;
    Kept index = Kept.take(bed.folder().path(), folder, origin, empty -> fill(origin));
    searches = Search.draw(index.sample(corpus, SAMPLE_TEXTS), index.documents(), SEARCHES, SEED);
    session.note(
        String.format(
            Locale.ROOT,
            "%s: %s, one shard; memory limit %s, heap %s, %d connections",
            name(),
            index.describe("documents", IndexFiles.bytes(indexFiles())),
            ByteSize.format(bed.memory()),
            ByteSize.format(heap),
            CLIENTS));
    session.rounds(
        name(),
        1 + session.options().rounds(),
        stores,
        (store, round) -> measure(store, round == 0));
  }

  private Kept fill(String origin) throws IOException {
    bed.folder().require(3 * indexSize);
    String first = stores.get(0);
    try (TextFeed feed = TextFeed.open(sources.corpus());
        OpenSearchNode node = OpenSearchNode.start(this, folder, first, null)) {
      long documents = new IndexFill(node, feed, session).fill(indexSize);
      return new Kept(origin, documents, feed.copies());
    }
  }

  private void measure(String store, boolean first) throws IOException {
    bed.drop(indexFiles());
    try (MemoryCgroup group = MemoryCgroup.create(bed.memory())) {
      try (OpenSearchNode node = OpenSearchNode.start(this, folder, store, group)) {
        node.awaitIndex(IndexFill.INDEX);
        describe(store, node);
        answers = check(searches.subList(0, CHECKED), answers, store, one -> send(node, one));
        closedLoop(store, node, group, first);
        if (!first) {
          openLoop(store, node, group);
        }
      } catch (IOException | UserError e) {
        if (group.oomKills() > 0) {
          throw new ChildJvm.Killed("the server with " + store);
        }
        throw e;
      }
    }
  }

  /** Finds the files of the segments, which are never changed, while no server has them. */
  private List<Path> indexFiles() throws IOException {
    try (Stream<Path> paths = Files.walk(folder.resolve("data"))) {
      // What a server writes whenever it ends does not count.
      return paths
          .filter(path -> path.getParent().endsWith("index"))
          .filter(path -> path.getFileName().toString().startsWith("_"))
          .toList();
    }
  }

  private static boolean isOurs(String store) {
    return store.startsWith("pread");
  }

  /** Notes what users of ours can see and should look at: whether it reads as it is meant to. */
  private void describe(String store, OpenSearchNode server) throws IOException {
    String version = server.get("/").path("version").path("number").asText();
    session.note(name() + ": OpenSearch " + version);
    if (isOurs(store)) {
      JsonNode stats = server.get("/_pread/stats");
      if (stats.findPath("uses_page_cache").asInt() > 0) {
        throw new UserError(
            store
                + " reads through the page cache here, since direct I/O was refused: name a folder"
                + " on another file system with --work, or leave it out of --stores");
      }
      String cache = ByteSize.format(stats.findPath("cache").path("size_in_bytes").asLong());
      String backend = stats.findPath("backend").asText();
      session.note(name() + ": " + store + ": backend " + backend + ", block cache of " + cache);
    }
  }

  /**
   * Compares answers.
   *
   * @param expected answers of the first store; null if this is the first
   * @return the answers
   * @throws WrongResult naming the first that differs
   */
  static List<String> check(
      List<Search> searches, List<String> expected, String store, IOFunction<Search, byte[]> server)
      throws IOException {
    List<String> answers = new ArrayList<>();
    for (Search search : searches) {
      String essence = Search.essence(JSON.readTree(server.apply(search)));
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
    return answers;
  }

  private Load.Request phase(OpenSearchNode node, int start) {
    return number -> send(node, searches.get((int) ((start + number) % SEARCHES)));
  }

  /** Measures with connections that wait for an answer before they send the next search. */
  private void closedLoop(String store, OpenSearchNode node, MemoryCgroup group, boolean first)
      throws IOException {
    BlockDevice device = BlockDevice.under(folder);
    Load.closed(CLIENTS, seconds * 2 / 3, phase(node, WARMUP_START));
    long readBefore = device.bytesRead();
    long faults = group.majorFaults();
    Histogram closed = Load.closed(CLIENTS, seconds, phase(node, CLOSED_LOOP_START));
    double count = Math.max(1, closed.getTotalCount());
    if (first) {
      rate = Math.min(rate, Math.max(1, LOAD_FACTOR * count / seconds));
      return;
    }
    Figures figures = Figures.under(new Conditions(CLIENTS));
    figures.add(Metric.throughput("searches/s"), count / seconds);
    if (faults >= 0) {
      double more = (group.majorFaults() - faults) / count;
      figures.add(Metric.listedCost("major faults", "per search"), more);
    }
    long readAfter = device.bytesRead();
    if (readBefore >= 0 && readAfter >= 0) {
      double kibibytes = (readAfter - readBefore) / 1024.0;
      figures.add(Metric.listedCost("device read", "KiB per search"), kibibytes / count);
    }
    record(store, figures);
  }

  /** Measures the latencies of searches that arrive at a rate, however long they take. */
  private void openLoop(String store, OpenSearchNode node, MemoryCgroup group) throws IOException {
    Histogram open =
        Load.open(
            CLIENTS,
            Load.poisson(rate, SEED),
            Load.End.after(seconds),
            phase(node, OPEN_LOOP_START));
    Figures figures = Figures.under(new Conditions(CLIENTS));
    figures.add(Metric.fact("arrivals", "1/s"), rate);
    figures.addLatencies(open, "ms");
    figures.addKnown(Metric.fact("peak memory", "MiB"), group.peakBytes() >> 20);
    record(store, figures);
  }

  private void record(String store, Figures figures) throws IOException {
    Contender contender = isOurs(store) ? Contender.ours(store) : Contender.other(store);
    session.recorder().add(name(), contender, figures);
  }

  private byte[] send(OpenSearchNode node, Search search) throws IOException {
    session.stop().check();
    return node.send(search.method(), search.path(), search.body());
  }
}
