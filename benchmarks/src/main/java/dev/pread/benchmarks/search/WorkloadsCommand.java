/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.search;

import dev.pread.benchmarks.files.CeilingCommand;
import dev.pread.benchmarks.index.DirectoryKind;
import dev.pread.benchmarks.index.IndexFiles;
import dev.pread.benchmarks.index.Kept;
import dev.pread.benchmarks.index.TextFeed;
import dev.pread.benchmarks.machine.ByteSize;
import dev.pread.benchmarks.machine.Checks;
import dev.pread.benchmarks.machine.ChildJvm;
import dev.pread.benchmarks.machine.TestBed;
import dev.pread.benchmarks.report.Metric;
import dev.pread.benchmarks.suite.DirectoryOptions;
import dev.pread.benchmarks.suite.Session;
import dev.pread.benchmarks.suite.SuiteCommand;
import dev.pread.benchmarks.suite.SuiteOptions;
import dev.pread.benchmarks.suite.SuitePart;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.lucene.util.IOUtils;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Measures key-value workloads on Lucene, each slot in a JVM of its own. In the first round all
 * directories do a scenario as fast as they can before any of them is measured at a rate, which is
 * the same for all and stays the same.
 */
@Command(
    name = WorkloadsCommand.NAME,
    description =
        "Measures Lucene directories by the workloads of key-value stores, on an index that exceeds"
            + " the memory it is given: loads, random reads, range scans, updates, and reads beside"
            + " a writer. Needs root on Linux. It builds the index itself, since every document has"
            + " to be found by its key and checked; --work and --keep save that the next time.")
public final class WorkloadsCommand extends SuiteCommand implements SuitePart {
  static final String NAME = "workloads";
  private static final long MEBI = 1L << 20;
  private static final int QUICK_DOCUMENTS = 5_000;
  private static final int QUICK_VECTORS = 300;
  private static final double QUICK_RATE = 100;

  private static final String TEXTS_FILE = "texts";

  /** The number of texts that documents are written with. */
  private static final int TEXTS = 2_000;

  /** The size of the vectors as a multiple of the memory limit. */
  private static final int VECTORS_PER_MEMORY = 3;

  /**
   * The part of what the slowest directory can do that is asked of all: it leaves room, and yet the
   * machine is not idle.
   */
  private static final double LOAD_FACTOR = 0.5;

  /** The time for opening, committing and checking, besides the seconds that are measured. */
  private static final double STEP_SECONDS = 20;

  @Mixin private DirectoryOptions directories = new DirectoryOptions();

  @Option(
      names = "--corpus",
      paramLabel = "PATH",
      description =
          "Text to index: a folder or a zip; default: the src.zip of the JDK that runs this")
  private Path corpus;

  @Option(
      names = "--scenarios",
      paramLabel = "NAME",
      split = ",",
      description =
          "What to measure, of ${COMPLETION-CANDIDATES}; default: all but knn and knn-rescore,"
              + " whose indexes take longer than all else, and with --quick those too")
  private List<Scenario> scenarios;

  @Option(
      names = "--threads",
      paramLabel = "N",
      description = "Threads that serve requests; default: 4")
  private int threads = 4;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      description =
          "Seconds of each loop, the closed one and the open one; default: 6, with --quick 0.2")
  private Double seconds;

  @Option(
      names = "--warmup",
      paramLabel = "S",
      description = "Seconds before them that are not measured; default: 5, with --quick 0.1")
  private Double warmup;

  @Option(
      names = "--rate",
      paramLabel = "N",
      description =
          "Requests per second of the open loop, of all threads together; 0 for no open loop;"
              + " default: half of what the slowest directory does in the closed loop of the first"
              + " round, by scenario; with --quick 100")
  private Double rate;

  @Option(
      names = "--index-size",
      paramLabel = "SIZE",
      converter = ByteSize.class,
      description =
          "Repeat the text until the index is that large; default: twice --memory, with --quick"
              + " 5000 documents")
  private Long indexSize;

  @Option(
      names = "--vectors",
      paramLabel = "N",
      description =
          "Index so many vectors for knn and knn-rescore; default: three times --memory, with"
              + " --quick 300")
  private Integer vectors;

  private Session session;
  private TestBed bed;

  /** The folder of the index that each scenario begins with. */
  private final Map<Scenario, Path> indexes = new EnumMap<>(Scenario.class);

  private final Map<Scenario, Double> rates = new EnumMap<>(Scenario.class);
  private final Map<Scenario, Map<String, List<Double>>> recalls = new EnumMap<>(Scenario.class);
  private final Set<DirectoryKind> leftOut = new HashSet<>();

  @Override
  protected List<SuitePart> parts() {
    return List.of(new CeilingCommand(), this);
  }

  @Override
  public void check(SuiteOptions suite) {
    seconds = seconds != null ? seconds : Double.valueOf(suite.quick() ? 0.2 : 6);
    warmup = warmup != null ? warmup : Double.valueOf(suite.quick() ? 0.1 : 5);
    rate = rate == null && suite.quick() ? Double.valueOf(QUICK_RATE) : rate;
    if (scenarios == null) {
      scenarios = new ArrayList<>(Arrays.asList(Scenario.values()));
      scenarios.removeIf(scenario -> scenario.ofVectors() && !suite.quick());
    }
    directories.check(suite.memory(), 96 * MEBI);
    Checks.positive("--threads", threads);
    Checks.positive("--seconds", seconds);
    Checks.notNegative("--warmup", warmup);
    Checks.notNegative("--rate", rate == null ? 0 : rate);
    Checks.positive("--index-size", indexSize == null ? 1 : indexSize.doubleValue());
    Checks.positive("--vectors", vectors == null ? 1 : vectors.doubleValue());
    corpus = TextFeed.corpus(corpus);
  }

  @Override
  public void measure(Session running) throws IOException {
    session = running;
    session.onBed(NAME, session.options().memory(), this::measure);
  }

  private void measure(TestBed arranged) throws IOException {
    bed = arranged;
    for (Scenario scenario : scenarios) {
      indexes.put(
          scenario, scenario.ofVectors() ? prepareVectors(scenario) : work().resolve("index"));
    }
    List<String> texts = indexes.containsValue(work().resolve("index")) ? prepareTexts() : List.of();
    Files.writeString(work().resolve(TEXTS_FILE), String.join(ScenarioTask.BETWEEN_TEXTS, texts));
    if (rate != null && rate == 0) {
      session.note("workloads: percentiles are plain latencies of a closed loop");
    }
    session.rounds(
        NAME,
        scenarios,
        (scenario, round) -> {
          if (rate != null) {
            pass(scenario, round, seconds, rate > 0 ? seconds : 0, rate);
            return;
          }
          if (round == 0) {
            pass(scenario, round, seconds, 0, 1);
          }
          double known = rates.getOrDefault(scenario, 1.0);
          pass(scenario, round, round == 0 ? 0 : seconds, seconds, known);
        });
  }

  private Path work() {
    return bed.folder().path();
  }

  private Path prepareVectors(Scenario scenario) throws IOException {
    long wanted = VECTORS_PER_MEMORY * bed.memory() / VectorIndex.VECTOR_BYTES;
    boolean few = session.options().quick();
    int count = vectors != null ? vectors : few ? QUICK_VECTORS : Math.toIntExact(wanted);
    Path folder = Files.createDirectories(work().resolve(scenario.toString()));
    Path index = folder.resolve("index");
    // Besides the vectors there is the graph.
    requireRoom(index, 5L * count * VectorIndex.VECTOR_BYTES / 4);
    describe(
        index,
        VectorIndex.build(folder, scenario, count, session.progress(), session.stop()),
        "vectors for " + scenario);
    return index;
  }

  /** Returns texts to write documents with. */
  private List<String> prepareTexts() throws IOException {
    boolean few = session.options().quick() && indexSize == null;
    long bytes = indexSize != null ? indexSize : 2 * bed.memory();
    Path index = work().resolve("index");
    requireRoom(index, few ? 0 : 2 * bytes);
    Kept kept =
        new TextIndex(corpus, bytes, few ? QUICK_DOCUMENTS : 0)
            .build(work(), session.progress(), session.stop());
    describe(index, kept, "documents");
    return kept.sample(corpus, TEXTS);
  }

  /** Where there is an index it is taken, or goes first. */
  private void requireRoom(Path index, long bytes) throws IOException {
    bed.folder().require(Files.exists(index) ? 0 : bytes);
  }

  private void describe(Path index, Kept kept, String what) throws IOException {
    long bytes = IndexFiles.bytes(index);
    session.note(
        String.format(
            Locale.ROOT,
            "workloads: index of %,d %s%s, %s; memory limit %s, heap %s%s",
            kept.documents(),
            what,
            kept.copies() > 1
                ? String.format(
                    Locale.ROOT, ", the text REPLICATED %.1f times under new keys", kept.copies())
                : "",
            ByteSize.format(bytes),
            ByteSize.format(bed.memory()),
            ByteSize.format(directories.heap()),
            bytes < bed.memory() ? ": it FITS the limit" : ""));
  }

  /** Has all directories do a scenario in turn. */
  private void pass(
      Scenario scenario, int round, double closedSeconds, double openSeconds, double perSecond)
      throws IOException {
    ScenarioTask.Effort load =
        new ScenarioTask.Effort(
            threads, session.options().seed(), warmup, closedSeconds, openSeconds, perSecond);
    List<DirectoryKind> order = new ArrayList<>(directories.kinds());
    order.removeAll(leftOut);
    Collections.rotate(order, -round);
    for (DirectoryKind kind : order) {
      child(kind, scenario, load);
    }
  }

  private void child(DirectoryKind kind, Scenario scenario, ScenarioTask.Effort load)
      throws IOException {
    Path index = indexes.get(scenario);
    Path slot = work().resolve("slot");
    Path log = work().resolve("safepoints.log");
    try {
      bed.drop(IndexFiles.of(index));
      ScenarioTask task =
          new ScenarioTask(
              kind.name(),
              scenario,
              folder(scenario, index, slot).toString(),
              work().resolve(TEXTS_FILE).toString(),
              log.toString(),
              load);
      double expected = STEP_SECONDS + warmup + 2 * seconds;
      ChildJvm.Result<ScenarioTask.Result> result =
          directories.jvm(bed).run(kind.name(), task, expected);
      if (result != null && result.value().usesPageCache()) {
        leftOut.add(kind);
        session.skip(
            NAME + ": " + kind,
            "direct I/O was refused, and the page cache used instead: name a folder on another"
                + " file system with --work");
      } else if (result != null) {
        record(kind, task, result.value(), result.usage().peakBytes());
      }
    } finally {
      IOUtils.rm(slot, log);
    }
  }

  /** Makes the index that a scenario works on: the one that all begin with, or one of its own. */
  static Path folder(Scenario scenario, Path index, Path own) throws IOException {
    if (scenario == Scenario.BULK_LOAD) {
      return Files.createDirectory(own);
    }
    return scenario.writes() ? IndexFiles.link(index, own) : index;
  }

  private void record(
      DirectoryKind kind, ScenarioTask task, ScenarioTask.Result result, long peak)
      throws IOException {
    if (task.load().seconds() > 0) {
      Map<String, List<Double>> all =
          recalls.computeIfAbsent(task.scenario(), scenario -> new TreeMap<>());
      all.put(kind.toString(), result.recalls());
      Neighbours.compare(all);
      result.figures().addKnown(Metric.listedCost("peak memory", "bytes"), peak);
      if (task.load().openSeconds() == 0) {
        // The slowest one in the first round tells the rate of all others.
        rates.merge(task.scenario(), Math.max(1, LOAD_FACTOR * result.perSecond()), Math::min);
      }
    }
    session.recorder().add(NAME, kind.contender(), result.figures());
  }
}
