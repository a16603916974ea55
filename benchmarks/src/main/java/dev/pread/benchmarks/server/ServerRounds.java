/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.server;

import dev.pread.benchmarks.index.Kept;
import dev.pread.benchmarks.index.TextFeed;
import dev.pread.benchmarks.machine.BlockDevice;
import dev.pread.benchmarks.machine.ByteSize;
import dev.pread.benchmarks.machine.MemoryCgroup;
import dev.pread.benchmarks.machine.TestBed;
import dev.pread.benchmarks.machine.UnavailableException;
import dev.pread.benchmarks.machine.UserError;
import dev.pread.benchmarks.suite.Session;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Fills an index through a server without a limit, and then starts the server anew for each store
 * and round, within the limit and with none of the index in memory. The first round only finds out
 * how fast each is; half of what the slowest did is the rate at which all are asked from then on,
 * since latencies at different rates could not be compared.
 */
final class ServerRounds {
  private static final double LOAD_FACTOR = 0.5;
  private static final int SAMPLE_TEXTS = 4000;

  private final Session session;
  private final TestBed bed;
  private final ServerCommand command;
  private final OpenSearchNode.Setup setup;
  private List<Search> searches;
  private List<String> answers;
  private Map<String, Long> files;
  private double rate = Double.MAX_VALUE;

  ServerRounds(Session session, TestBed bed, ServerCommand command) {
    this.session = session;
    this.bed = bed;
    this.command = command;
    Path folder = bed.folder().path().resolve("node");
    this.setup = new OpenSearchNode.Setup(command.home, folder, command.heap);
  }

  void run() throws IOException, UnavailableException {
    Path work = bed.folder().path();
    long bytes = Files.size(command.corpus);
    String origin = command.corpus.toAbsolutePath() + "|" + bytes + "|" + command.indexSize;
    Kept index = Kept.take(work, setup.folder(), origin, folder -> fill(origin));
    long seed = session.options().seed();
    searches = Search.draw(sample(index), index.documents(), StoreRun.SEARCHES, seed);
    describe(index);
    List<String> order = new ArrayList<>(command.stores);
    int rounds = session.options().rounds();
    session.progress().start(ServerCommand.NAME);
    for (int round = 0; round <= rounds; round++) {
      for (String store : order) {
        session.progress().update(round / (rounds + 1.0), store);
        measure(store, round == 0);
      }
      Collections.rotate(order, -1);
    }
  }

  /** Takes some of the texts, spread evenly over the corpus. */
  private List<String> sample(Kept index) throws IOException {
    long step = Math.max(1, (long) (index.documents() / index.copies() / SAMPLE_TEXTS));
    List<String> sample = new ArrayList<>();
    try (TextFeed feed = TextFeed.open(command.corpus)) {
      for (TextFeed.Chunk chunk = feed.next(); chunk != null; chunk = feed.next()) {
        if (chunk.number() % step == 0) {
          sample.add(chunk.text());
        }
      }
    }
    return sample;
  }

  private Kept fill(String origin) throws IOException {
    bed.folder().require(3 * command.indexSize);
    List<String> settings = command.settings(command.stores.get(0));
    try (TextFeed feed = TextFeed.open(command.corpus);
        OpenSearchNode node = OpenSearchNode.start(setup, settings, null, session.stop())) {
      for (String store : command.stores) {
        IndexFill.probe(node.rest(), store);
      }
      long documents = new IndexFill(node.rest(), feed, session).fill(command.indexSize);
      return new Kept(origin, documents, feed.copies());
    }
  }

  private void describe(Kept index) throws IOException {
    files = indexFiles();
    session.note(
        String.format(
            Locale.ROOT,
            "server: index of %,d documents, %s, one shard; its text is taken %s; memory limit"
                + " %s, heap %s, %d connections",
            index.documents(),
            ByteSize.format(files.values().stream().mapToLong(Long::longValue).sum()),
            index.copies() == 1
                ? "once"
                : String.format(Locale.ROOT, "%.1f times, with other rare words", index.copies()),
            ByteSize.format(bed.memory()),
            ByteSize.format(setup.heapBytes()),
            StoreRun.CLIENTS));
  }

  private void measure(String store, boolean first) throws IOException, UnavailableException {
    Map<String, Long> now = indexFiles();
    if (!now.equals(files)) {
      session.note("server: the segments CHANGED before " + store + ": by a merge");
      files = now;
    }
    bed.drop(now.keySet().stream().map(Path::of).toList());
    try (MemoryCgroup group = MemoryCgroup.create(bed.memory())) {
      try (OpenSearchNode node =
          OpenSearchNode.start(setup, command.settings(store), group, session.stop())) {
        node.awaitIndex(IndexFill.INDEX, session.stop());
        measure(new StoreRun(session, command.seconds, store, node.rest(), group), first);
      } catch (IOException | UserError e) {
        if (group.oomKills() > 0 && !session.stop().requested()) {
          throw new UserError(
              String.format(
                  Locale.ROOT,
                  "the server with %s was killed by the kernel: it needs more than its limit; raise"
                      + " --memory, or lower --heap, or its cache with --setting"
                      + " %1$s=pread.cache.size=...",
                  store),
              e);
        }
        throw e;
      }
    }
  }

  private void measure(StoreRun run, boolean first) throws IOException {
    answers = run.check(searches, answers);
    run.describe();
    double perSecond = run.closed(searches, BlockDevice.under(setup.folder()), !first);
    if (first) {
      rate = Math.min(rate, Math.max(1, LOAD_FACTOR * perSecond));
    } else {
      run.open(searches, rate);
    }
  }

  /** Finds the segments and their sizes, while no server has them. */
  private Map<String, Long> indexFiles() throws IOException {
    Map<String, Long> found = new TreeMap<>();
    try (Stream<Path> paths = Files.walk(setup.folder().resolve("data"))) {
      for (Path path : (Iterable<Path>) paths::iterator) {
        // Not what a server writes whenever it ends.
        if (path.getParent().endsWith("index") && path.getFileName().toString().startsWith("_")) {
          found.put(path.toString(), Files.size(path));
        }
      }
    }
    return found;
  }
}
