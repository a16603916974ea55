/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.search;

import dev.pread.PreadDirectory;
import dev.pread.benchmarks.index.BenchQuery;
import dev.pread.benchmarks.index.DirectoryKind;
import dev.pread.benchmarks.index.IndexBuilder;
import dev.pread.benchmarks.index.Kept;
import dev.pread.benchmarks.index.QueryDraw;
import dev.pread.benchmarks.index.QueryKind;
import dev.pread.benchmarks.machine.ByteSize;
import dev.pread.benchmarks.machine.Checks;
import dev.pread.benchmarks.machine.UserError;
import dev.pread.benchmarks.report.Machine;
import dev.pread.benchmarks.suite.IndexOptions;
import dev.pread.benchmarks.suite.Session;
import dev.pread.benchmarks.suite.SuiteCommand;
import dev.pread.benchmarks.suite.SuiteOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.lucene.store.Directory;
import org.apache.lucene.util.IOUtils;
import org.apache.lucene.util.Version;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Gets an index, opens it several times, and measures. */
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

  @Mixin private IndexOptions sources = new IndexOptions();

  @Option(
      names = "--directories",
      paramLabel = "NAME",
      split = ",",
      defaultValue = "mmap,niofs,pread",
      description =
          "What to search through: mmap, niofs, pread, direct, or class names; default:"
              + " ${DEFAULT-VALUE}")
  private List<String> directories;

  @Option(
      names = "--threads",
      paramLabel = "N",
      defaultValue = "1",
      description = "Threads that search at the same time; default: ${DEFAULT-VALUE}")
  int threads;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      description =
          "Measuring time, all rounds together; checking and warming up come on top; default: 60,"
              + " with --quick 1")
  Double seconds;

  private List<DirectoryKind> kinds;

  @Override
  public void check(SuiteOptions suite) {
    suite.rounds(ROUNDS);
    suite.leaveReadAhead();
    suite.memory(0);
    seconds = seconds != null ? seconds : Double.valueOf(suite.quick() ? 1 : 60);
    Checks.positive("--threads", threads);
    Checks.positive("--seconds", seconds);
    sources.check();
    kinds = DirectoryKind.named(directories);
  }

  @Override
  protected void measure(Session current) throws IOException {
    session = current;
    if (sources.index() == null) {
      super.measure(current);
    } else {
      search(sources.index(), sources.index().toString());
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
      long docs =
          IndexBuilder.build(directory, sources.corpus(), session.progress(), session.stop());
      return new Kept(origin, docs, 1);
    }
  }

  private void search(Path folder, String what) throws IOException {
    List<QueryRounds.Opened> opened = new ArrayList<>();
    try {
      for (DirectoryKind kind : kinds) {
        try {
          opened.add(QueryRounds.Opened.open(kind, folder));
        } catch (IOException | IllegalArgumentException e) {
          String words = " cannot be opened through " + kind + " by Lucene " + Version.LATEST;
          throw new UserError("index " + folder + words + ": " + e, e);
        }
      }
      if (opened.stream().map(one -> one.reader().getVersion()).distinct().count() > 1) {
        throw new UserError(
            "index " + folder + " changed while it was opened: stop its writer, or take a copy");
      }
      session.progress().start("drawing queries");
      Map<QueryKind, List<BenchQuery>> queries =
          QueryDraw.draw(opened.get(0).searcher(), session.options().seed());
      if (queries.isEmpty()) {
        throw new UserError("index " + folder + " has nothing to query: name another");
      }
      describe(opened, what);
      for (QueryKind kind : QueryKind.values()) {
        if (!queries.containsKey(kind)) {
          session.skip(name() + ": " + kind.label(), "the index has no field for it");
        }
      }
      new QueryRounds(session, this, opened, queries, new IdentityHashMap<>()).run();
    } finally {
      IOUtils.close(opened);
    }
  }

  private void describe(List<QueryRounds.Opened> opened, String what) throws IOException {
    QueryRounds.Opened first = opened.get(0);
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
    for (QueryRounds.Opened one : opened) {
      if (one.reader().directory() instanceof PreadDirectory directory) {
        session.note(one + " reads through the backend " + directory.backendName());
      }
    }
  }
}
