/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.search;

import dev.pread.benchmarks.index.DirectoryKind;
import dev.pread.benchmarks.index.IndexFiles;
import dev.pread.benchmarks.index.Kept;
import dev.pread.benchmarks.machine.ByteSize;
import dev.pread.benchmarks.machine.ChildJvm;
import dev.pread.benchmarks.report.Metric;
import dev.pread.benchmarks.suite.DirectoryOptions;
import dev.pread.benchmarks.suite.IndexOptions;
import dev.pread.benchmarks.suite.Session;
import dev.pread.benchmarks.suite.SuiteCommand;
import dev.pread.benchmarks.suite.SuiteOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.lucene.index.SegmentInfos;
import org.apache.lucene.store.FSDirectory;
import org.apache.lucene.util.IOUtils;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Measures key-value workloads on Lucene, each slot in a JVM of its own. In the first round all
 * directories do a scenario as fast as they can before any of them is measured: that tells the rate
 * of the open loop, which is the same for all and stays the same.
 */
@Command(name = "workloads")
public final class WorkloadsCommand extends SuiteCommand {
  private static final int TEXTS = 2_000;

  private static final int VECTORS_PER_MEMORY = 3;

  /**
   * The part of what the slowest directory can do that is asked of all: it leaves room, and yet the
   * machine is not idle.
   */
  private static final double LOAD_FACTOR = 0.5;

  /** The time for opening, committing and checking, besides the seconds that are measured. */
  private static final double STEP_SECONDS = 20;

  @Mixin private DirectoryOptions directories = new DirectoryOptions();

  @Mixin private IndexOptions sources = new IndexOptions();

  @Option(names = "--scenarios", paramLabel = "NAME", split = ",")
  private List<Scenario> scenarios;

  @Option(names = "--threads", paramLabel = "N")
  private int threads = 4;

  @Option(names = "--seconds", paramLabel = "S")
  private Double seconds;

  @Option(names = "--warmup", paramLabel = "S")
  private Double warmup;

  @Option(names = "--rate", paramLabel = "N")
  private Double rate;

  @Option(names = "--index-size", paramLabel = "SIZE")
  private Long indexSize;

  @Option(names = "--vectors", paramLabel = "N")
  private Integer vectors;

  private final Map<Scenario, Double> rates = new EnumMap<>(Scenario.class);

  @Override
  public void check(SuiteOptions suite) {
    boolean quick = suite.quick();
    memory = suite.memory();
    seconds = seconds != null ? seconds : Double.valueOf(quick ? 0.2 : 6);
    warmup = warmup != null ? warmup : Double.valueOf(quick ? 0.1 : 5);
    rate = rate == null && quick ? Double.valueOf(100) : rate;
    indexSize = indexSize != null ? indexSize : Long.valueOf(quick ? 8 * MEBI : 2 * memory);
    if (vectors == null) {
      vectors = quick ? 300 : (int) (VECTORS_PER_MEMORY * memory / VectorIndex.VECTOR_BYTES);
    }
    if (scenarios == null) {
      scenarios = new ArrayList<>(Arrays.asList(Scenario.values()));
      scenarios.removeIf(scenario -> scenario.ofVectors() && !quick);
    }
    directories.check(memory, 96 * MEBI);
    sources.check();
  }

  @Override
  protected void measureOnBed() throws IOException {
    List<String> texts = List.of();
    for (Scenario scenario : scenarios) {
      if (scenario.ofVectors()) {
        prepare(scenario);
      } else if (texts.isEmpty()) {
        texts = prepare(scenario).sample(sources.corpus(), TEXTS);
      }
    }
    Files.writeString(texts(), String.join(ScenarioTask.BETWEEN_TEXTS, texts));
    session.note(
        name()
            + ": device read and written are of the whole machine; safepoints are provoked every"
            + " 10 ms");
    session.note(
        rate == null || rate > 0
            ? name()
                + ": percentiles are of an open loop with Poisson arrivals, counted from"
                + " when a request was due, at the same rate for all directories"
            : name() + ": percentiles are plain latencies of a closed loop");
    session.rounds(
        name(),
        scenarios,
        (scenario, round) -> {
          if (rate == null && round == 0) {
            pass(scenario, round, null);
          }
          pass(scenario, round, rate != null ? rate : rates.get(scenario));
        });
  }

  private Path texts() {
    return bed.folder().path().resolve("texts");
  }

  private Path index(Scenario scenario) {
    Path work = bed.folder().path();
    return (scenario.ofVectors() ? work.resolve(scenario.toString()) : work).resolve("index");
  }

  private Kept prepare(Scenario scenario) throws IOException {
    Path index = index(scenario);
    Path work = Files.createDirectories(index.getParent());
    // There is the graph besides vectors, and merges besides texts.
    long room = scenario.ofVectors() ? 5L * vectors * VectorIndex.VECTOR_BYTES / 4 : 2 * indexSize;
    // Where there is an index it is taken, or goes first.
    bed.folder().require(Files.exists(index) ? 0 : room);
    Kept kept =
        scenario.ofVectors()
            ? VectorIndex.build(work, scenario, vectors, session.progress())
            : KeyedDocument.build(work, sources.corpus(), indexSize, session.progress());
    long bytes = IndexFiles.bytes(IndexFiles.of(index));
    try (FSDirectory directory = DirectoryKind.NEUTRAL.openForReading(index)) {
      session.note(
          String.format(
              Locale.ROOT,
              "%s: %s in %d segments; memory limit %s, heap %s%s",
              name(),
              kept.describe(scenario.ofVectors() ? "vectors for " + scenario : "documents", bytes),
              SegmentInfos.readLatestCommit(directory).size(),
              ByteSize.format(bed.memory()),
              ByteSize.format(directories.heap()),
              bytes < bed.memory() ? ": it FITS the limit" : ""));
    }
    return kept;
  }

  /**
   * Has all directories do a scenario in turn.
   *
   * @param perSecond requests of the open loop; null to find out how many there are to be, and
   *     record nothing
   */
  private void pass(Scenario scenario, int round, Double perSecond) throws IOException {
    for (DirectoryKind kind : Session.rotated(directories.kinds(), round)) {
      child(kind, scenario, perSecond);
    }
  }

  private void child(DirectoryKind kind, Scenario scenario, Double perSecond) throws IOException {
    Path slot = bed.folder().path().resolve("slot");
    Path log = bed.folder().path().resolve("safepoints.log");
    try {
      IOUtils.rm(slot, log); // A killed run leaves them.
      Path index = index(scenario);
      bed.drop(IndexFiles.of(index));
      ScenarioTask.Effort load = new ScenarioTask.Effort(threads, SEED, warmup, seconds, perSecond);
      String folder = folder(scenario, index, slot).toString();
      ScenarioTask task =
          new ScenarioTask(kind.name(), scenario, folder, texts().toString(), log.toString(), load);
      ChildJvm.Result<ScenarioTask.Result> result =
          directories.jvm(session, bed).run(kind.name(), task, STEP_SECONDS + warmup + 2 * seconds);
      record(kind, task, result.value(), result.usage().peakBytes());
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
      DirectoryKind kind, ScenarioTask task, ScenarioTask.Result result, long peakBytes)
      throws IOException {
    if (task.load().rate() == null) {
      rates.merge(task.scenario(), Math.max(1, LOAD_FACTOR * result.perSecond()), Math::min);
      return;
    }
    result.figures().addKnown(Metric.listedCost("peak memory", "bytes"), peakBytes);
    session.recorder().add(name(), kind.contender(), result.figures());
  }
}
