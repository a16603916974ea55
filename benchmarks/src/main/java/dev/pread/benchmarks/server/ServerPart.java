/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.server;

import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.corpus.Corpora;
import dev.pread.benchmarks.machine.ByteSize;
import dev.pread.benchmarks.machine.MemoryCgroup;
import dev.pread.benchmarks.machine.TestBed;
import dev.pread.benchmarks.machine.UnavailableException;
import dev.pread.benchmarks.measure.HitMismatch;
import dev.pread.benchmarks.suite.Session;
import dev.pread.benchmarks.suite.SuiteOptions;
import dev.pread.benchmarks.suite.SuitePart;
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
import org.apache.lucene.util.IOUtils;
import picocli.CommandLine.Mixin;

/**
 * Fills an index through a server without a limit, and then starts the server anew for each store
 * and round, within the limit and with none of the index in memory. The first round only finds out
 * how fast each is; half of what the slowest did is the rate at which all are asked from then on,
 * since latencies at different rates could not be compared.
 */
public final class ServerPart implements SuitePart {
  static final String NAME = "server";
  private static final double SHARE = 0.5;

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
    options.requireWays();
    try (TestBed bed = session.bed(NAME, options.memory())) {
      ServerAccount.admit(bed.folder().path());
      ServerAccount.requireWay("--work", bed.folder().path());
      new Rounds(session, bed).run();
    } catch (UnavailableException e) {
      session.recorder().skip(NAME, e.getMessage());
    } catch (IOException e) {
      // Whoever asks a server that is being stopped gets no answer.
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
    private SearchSet searches;
    private List<String> answers;
    private Map<String, Long> files;
    private double rate = Double.MAX_VALUE;

    Rounds(Session session, TestBed bed) {
      this.session = session;
      this.bed = bed;
      this.setup = options.setup(bed.folder().path().resolve("node"));
    }

    void run() throws IOException, UserError, HitMismatch, UnavailableException {
      FilledIndex index = prepare();
      if (index == null) {
        return;
      }
      describe(index);
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

    /** Makes the index, or takes a kept one, and the searches out of its text; null if stopped. */
    private FilledIndex prepare() throws IOException, UserError, HitMismatch {
      FilledIndex index = FilledIndex.kept(bed.folder().path(), options.origin());
      try (TextFeed feed =
          new TextFeed(() -> Corpora.open(options.corpus()), session.options().seed())) {
        if (index == null) {
          index = fill(feed);
        } else {
          feed.skipFirstCopy();
        }
        if (index != null) {
          searches = new SearchSet(feed.sample(), index.documents(), session.options().seed());
        }
      }
      return index;
    }

    private FilledIndex fill(TextFeed feed) throws IOException, UserError, HitMismatch {
      bed.folder().require(3 * options.indexSize());
      FilledIndex.forget(bed.folder().path());
      if (Files.exists(setup.folder())) {
        IOUtils.rm(setup.folder()); // Of another origin, or not complete.
      }
      try (OpenSearchNode node =
          OpenSearchNode.start(
              setup, options.settings(options.stores().get(0)), null, session.stop())) {
        if (node == null) {
          return null;
        }
        for (String store : options.stores()) {
          IndexFill.probe(node.rest(), store);
        }
        long documents =
            new IndexFill(node.rest(), feed, session.progress(), session.stop())
                .fill(options.indexSize());
        if (documents == 0) {
          return null;
        }
        FilledIndex index = new FilledIndex(options.origin(), documents, feed.copies());
        index.keep(bed.folder().path());
        return index;
      }
    }

    private void describe(FilledIndex index) throws IOException {
      files = indexFiles();
      session
          .recorder()
          .note(
              String.format(
                  Locale.ROOT,
                  "server: index of %,d documents, %s, one shard; its text is taken %s; memory limit"
                      + " %s, heap %s, %d connections",
                  index.documents(),
                  ByteSize.format(files.values().stream().mapToLong(Long::longValue).sum()),
                  index.copies() == 1 ? "once" : index.copies() + " times, with other rare words",
                  ByteSize.format(options.memory()),
                  ByteSize.format(options.heap()),
                  options.clients()));
    }

    private void measure(String store, boolean first)
        throws IOException, UserError, HitMismatch, UnavailableException {
      Map<String, Long> now = indexFiles();
      if (!now.equals(files)) {
        session.recorder().note("server: the segments CHANGED before " + store + ": by a merge");
        files = now;
      }
      bed.drop(now.keySet().stream().map(Path::of).toList());
      try (MemoryCgroup group = MemoryCgroup.create(options.memory())) {
        try (OpenSearchNode node =
            OpenSearchNode.start(setup, options.settings(store), group, session.stop())) {
          if (node != null && node.awaitIndex(IndexFill.INDEX, session.stop())) {
            measure(store, new StoreRun(session, options, store, node.rest(), group), first);
            session
                .recorder()
                .note(
                    "server: OpenSearch "
                        + node.rest().get("/").path("version").path("number").asText());
          }
        } catch (IOException | UserError e) {
          if (group.oomKills() > 0 && !session.stop().requested()) {
            throw new UserError(
                "the server with "
                    + store
                    + " was killed by the kernel: it needs more than its limit; raise --memory, or"
                    + " lower --heap, or its cache with --setting "
                    + store
                    + "=pread.cache.size=...",
                e);
          }
          throw e;
        }
      }
    }

    private void measure(String store, StoreRun run, boolean first)
        throws IOException, UserError, HitMismatch {
      List<String> found = run.answers(searches);
      if (answers == null) {
        answers = found;
      }
      searches.compare(store, found, options.stores().get(0), answers);
      run.describe();
      double perSecond = run.closed(searches, setup.folder(), !first);
      if (first) {
        rate = Math.min(rate, Math.max(1, SHARE * perSecond));
      } else {
        run.open(searches, rate);
      }
    }

    /** The segments and their sizes, while no server has them. */
    private Map<String, Long> indexFiles() throws IOException {
      Map<String, Long> found = new TreeMap<>();
      try (Stream<Path> paths = Files.walk(setup.folder().resolve("data"))) {
        for (Path path : paths.filter(Rounds::isSegment).toList()) {
          found.put(path.toString(), Files.size(path));
        }
      }
      return found;
    }

    /** Not what a server writes whenever it ends. */
    private static boolean isSegment(Path path) {
      return path.getParent().endsWith("index") && path.getFileName().toString().startsWith("_");
    }
  }
}
