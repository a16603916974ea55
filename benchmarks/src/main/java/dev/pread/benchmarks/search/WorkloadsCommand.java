/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.search;

import dev.pread.benchmarks.files.CeilingCommand;
import dev.pread.benchmarks.index.IndexFiles;
import dev.pread.benchmarks.machine.ByteSize;
import dev.pread.benchmarks.machine.Checks;
import dev.pread.benchmarks.machine.ScratchFolder;
import dev.pread.benchmarks.machine.UserError;
import dev.pread.benchmarks.suite.DirectoryOptions;
import dev.pread.benchmarks.suite.IndexOptions;
import dev.pread.benchmarks.suite.Session;
import dev.pread.benchmarks.suite.SuiteCommand;
import dev.pread.benchmarks.suite.SuiteOptions;
import dev.pread.benchmarks.suite.SuitePart;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Measures key-value workloads on Lucene, each slot in a JVM of its own. */
@Command(
    name = WorkloadsCommand.NAME,
    description =
        "Measures Lucene directories by the workloads of key-value stores, on an index that exceeds"
            + " the memory it is given: loads, random reads, range scans, updates, and reads beside"
            + " a writer. Needs root on Linux. An --index has to be one that workloads built and"
            + " kept, since every document has to be found by its key and checked.")
public final class WorkloadsCommand extends SuiteCommand implements SuitePart {
  static final String NAME = "workloads";
  private static final long MEBI = 1L << 20;
  private static final int QUICK_DOCUMENTS = 5_000;
  private static final int QUICK_VECTORS = 300;

  /** The size of the vectors as a multiple of the memory limit. */
  private static final int VECTORS_PER_MEMORY = 3;

  @Mixin DirectoryOptions directories = new DirectoryOptions();

  @Mixin private IndexOptions sources = new IndexOptions();

  @Option(
      names = "--scenarios",
      paramLabel = "NAME",
      split = ",",
      description =
          "What to measure, of ${COMPLETION-CANDIDATES}; default: all but knn and knn-rescore,"
              + " whose indexes take longer than all else, and with --quick those too")
  List<Scenario> scenarios;

  @Option(
      names = "--threads",
      paramLabel = "N",
      description = "Threads that serve requests; default: 4")
  int threads = 4;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      description =
          "Seconds of each loop, the closed one and the open one; default: 6, with --quick 0.2")
  Double seconds;

  @Option(
      names = "--warmup",
      paramLabel = "S",
      description = "Seconds before them that are not measured; default: 5, with --quick 0.1")
  Double warmup;

  @Option(
      names = "--rate",
      paramLabel = "N",
      description =
          "Requests per second of the open loop, of all threads together; 0 for no open loop;"
              + " default: half of what the slowest directory does in the closed loop of the first"
              + " round, by scenario")
  Double rate;

  @Option(
      names = "--documents",
      paramLabel = "N",
      description =
          "Index so many documents, whatever the size; default: as many as --index-size needs, with"
              + " --quick 5000")
  private Long documents;

  @Option(
      names = "--index-size",
      paramLabel = "SIZE",
      converter = ByteSize.class,
      description = "Repeat the text until the index is that large; default: twice --memory")
  private Long indexSize;

  @Option(
      names = "--vectors",
      paramLabel = "N",
      description =
          "Index so many vectors for knn and knn-rescore; default: three times --memory, with"
              + " --quick 300")
  private Integer vectors;

  /** The index of texts; null while there is none. */
  private PreparedIndex prepared;

  @Override
  protected List<SuitePart> parts() {
    return List.of(new CeilingCommand(), this);
  }

  @Override
  public void check(SuiteOptions suite) {
    seconds = seconds != null ? seconds : Double.valueOf(suite.quick() ? 0.2 : 6);
    warmup = warmup != null ? warmup : Double.valueOf(suite.quick() ? 0.1 : 5);
    scenarios = scenarios != null ? scenarios : byDefault(suite.quick());
    directories.check(suite.memory(), 96 * MEBI);
    Checks.positive("--threads", threads);
    Checks.positive("--seconds", seconds);
    Checks.notNegative("--warmup", warmup);
    Checks.notNegative("--rate", rate == null ? 0 : rate);
    Checks.positive("--documents", documents == null ? 1 : documents.doubleValue());
    Checks.positive("--index-size", indexSize == null ? 1 : indexSize.doubleValue());
    Checks.positive("--vectors", vectors == null ? 1 : vectors.doubleValue());
    sources.check();
    if (sources.index() != null) {
      if (documents != null || indexSize != null) {
        throw new UserError("--index is taken as it is: leave out --documents and --index-size");
      }
      try {
        prepared = PreparedIndex.open(sources.index(), 0);
      } catch (IOException e) {
        throw new UserError("index " + sources.index() + " cannot be read: " + e, e);
      }
    }
  }

  static List<Scenario> byDefault(boolean quick) {
    return Arrays.stream(Scenario.values())
        .filter(scenario -> quick || !scenario.ofVectors())
        .toList();
  }

  @Override
  public void measure(Session session) throws IOException {
    session.onBed(
        NAME,
        session.options().memory(),
        bed -> {
          Path work = bed.folder().path();
          Path texts = work.resolve("texts.json");
          Map<Scenario, Path> indexes = prepare(session, bed.folder(), texts);
          if (indexes != null) {
            describe(session, indexes);
            new Rounds(session, bed, indexes, texts, this).run();
          }
        });
  }

  /** Prepares what each scenario begins with; null if stopped. */
  private Map<Scenario, Path> prepare(Session session, ScratchFolder work, Path texts)
      throws IOException {
    Map<Scenario, Path> indexes = new EnumMap<>(Scenario.class);
    for (Scenario scenario : scenarios) {
      if (scenario.ofVectors()) {
        indexes.put(scenario, prepareVectors(session, work, scenario));
      } else {
        prepared = prepared == null ? prepareTexts(session, work.path()) : prepared;
        indexes.put(scenario, prepared == null ? null : prepared.index());
      }
    }
    PreparedIndex.writeTexts(texts, prepared == null ? List.of() : prepared.texts());
    return session.stop().requested() ? null : indexes;
  }

  private Path prepareVectors(Session session, ScratchFolder work, Scenario scenario)
      throws IOException {
    long wanted = VECTORS_PER_MEMORY * session.options().memory() / VectorIndex.VECTOR_BYTES;
    boolean few = session.options().quick();
    int count = vectors != null ? vectors : few ? QUICK_VECTORS : Math.toIntExact(wanted);
    Path folder = Files.createDirectories(work.path().resolve(scenario.toString()));
    // Besides the vectors there is the graph. Where there is an index it is taken, or goes first.
    boolean exists = Files.exists(folder.resolve("index"));
    work.require(exists ? 0 : 5L * count * VectorIndex.VECTOR_BYTES / 4);
    return VectorIndex.build(folder, scenario, count, session.progress(), session.stop());
  }

  private PreparedIndex prepareTexts(Session session, Path work) throws IOException {
    boolean few = session.options().quick() && indexSize == null;
    PreparedIndex.Size size =
        new PreparedIndex.Size(
            indexSize != null ? indexSize : 2 * session.options().memory(),
            documents != null ? documents : few ? QUICK_DOCUMENTS : 0,
            sources.corpus());
    return PreparedIndex.build(work, size, session.progress(), session.stop());
  }

  private void describe(Session session, Map<Scenario, Path> indexes) throws IOException {
    long memory = session.options().memory();
    for (Path index : new TreeSet<>(indexes.values())) {
      boolean isText = prepared != null && index.equals(prepared.index());
      long bytes = IndexFiles.bytes(index);
      session.note(
          String.format(
              Locale.ROOT,
              "workloads: index of %s, %s; memory limit %s, heap %s%s",
              isText
                  ? prepared.describe()
                  : VectorIndex.describe(index) + " for " + index.getParent().getFileName(),
              ByteSize.format(bytes),
              ByteSize.format(memory),
              ByteSize.format(directories.heap()),
              bytes < memory ? ": it FITS the limit" : ""));
    }
    session.note(
        "workloads: device read and written are of the whole machine, process read and written"
            + " of the measured process alone; safepoints are provoked every 10 ms");
    session.note(
        rate == null || rate > 0
            ? "workloads: percentiles are of an open loop with Poisson arrivals, counted from"
                + " when a request was due, at the same rate for all directories"
            : "workloads: percentiles are plain latencies of a closed loop");
    if (session.options().quick()) {
      session.note(
          "workloads: with --quick one process runs all scenarios, so that caches and peak"
              + " memory are those of all of them");
    }
  }
}
