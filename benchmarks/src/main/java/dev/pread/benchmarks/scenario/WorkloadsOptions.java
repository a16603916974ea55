/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.scenario;

import dev.pread.benchmarks.Checks;
import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.child.JavaOptions;
import dev.pread.benchmarks.corpus.DebianSource;
import dev.pread.benchmarks.index.IndexCorpus;
import dev.pread.benchmarks.index.ReadKind;
import dev.pread.benchmarks.machine.ByteSize;
import dev.pread.benchmarks.suite.SuiteOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Option;

/** The options of {@code workloads}; whole and sensible without a command line, too. */
final class WorkloadsOptions {
  private static final long MEBI = 1L << 20;
  private static final long MIN_HEAP = 96 * MEBI;

  /** What a JVM and the buffers of a writer need besides the heap. */
  private static final long JVM_BYTES = 160 * MEBI;

  private static final long MIN_CACHE = 16 * MEBI;
  private static final int QUICK_DOCUMENTS = 5_000;
  private static final String CACHE = "dev.pread.cache.bytes";
  private static final String DIRECT = "direct";

  @Option(
      names = "--scenarios",
      paramLabel = "NAME",
      split = ",",
      description =
          "What to measure: bulk-load, read-random, multi-read-random, fwd-range, rev-range,"
              + " overwrite, read-while-writing, fwd-range-while-writing, rev-range-while-writing;"
              + " default: all of them")
  private List<String> scenarioNames;

  @Option(
      names = "--directories",
      paramLabel = "NAME",
      split = ",",
      description =
          "What to work through: mmap, mmap-random, niofs, pread, direct, or class names; default:"
              + " mmap,niofs,pread,direct")
  private List<String> directories = List.of("mmap", "niofs", "pread", DIRECT);

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
              + " round, by scenario")
  private Double rate;

  @Option(
      names = "--writer-rate",
      paramLabel = "MB",
      description = "What the writer beside readers writes, in MB/s of text; default: 2")
  private double writerRate = 2;

  @Option(
      names = "--range",
      paramLabel = "N",
      description = "Documents of a range scan; default: 100")
  private int range = 100;

  @Option(
      names = "--batch",
      paramLabel = "N",
      description = "Keys of a request of multi-read-random; default: 32")
  private int batch = 32;

  @Option(
      names = "--corpus",
      paramLabel = "PATH",
      description =
          "Text to index: a folder, a zip or a tar archive, or linux-source-6.12 to have apt download"
              + " that; default: the JDK's src.zip")
  private Path corpus;

  @Option(
      names = "--index",
      paramLabel = "DIR",
      description =
          "An index, which is not changed: one that workloads built and kept is taken as it is; of one's"
              + " own the stored text is taken instead of --corpus, since every document has to be"
              + " found by its key and checked")
  private Path index;

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
      names = "--heap",
      paramLabel = "SIZE",
      converter = ByteSize.class,
      description = "Heap of each measured process; default: an eighth of --memory, at least 96m")
  private Long heap;

  @Option(
      names = "--java-option",
      paramLabel = "NAME=OPTION",
      description =
          "An option for the JVM of one directory, or of all, like"
              + " direct=-Ddev.pread.cache.bytes=300m; repeatable. direct has a cache of what the"
              + " limit leaves, otherwise")
  private List<String> javaOptions = new ArrayList<>();

  private SuiteOptions suite;

  /** Made by picocli, or by whoever takes the defaults. */
  WorkloadsOptions() {}

  /** Checks them. */
  void check(SuiteOptions options) throws UserError {
    suite = options;
    scenarios();
    Checks.positive("--threads", threads);
    Checks.positive("--seconds", seconds());
    Checks.notNegative("--warmup", warmup());
    Checks.notNegative("--rate", rate == null ? 0 : rate);
    Checks.positive("--writer-rate", writerRate);
    Checks.positive("--range", range);
    Checks.positive("--batch", batch);
    Checks.positive("--documents", documents == null ? 1 : documents.doubleValue());
    Checks.positive("--index-size", indexSize == null ? 1 : indexSize.doubleValue());
    for (ReadKind kind : kinds()) {
      if (kind.isFio()) {
        throw new UserError("fio is no directory: leave it out of --directories");
      }
    }
    if (heap() < MEBI * 32 || heap() + JVM_BYTES > options.memory()) {
      throw new UserError(
          "--heap "
              + ByteSize.format(heap())
              + " does not fit: name at least 32m, and at most --memory less "
              + ByteSize.format(JVM_BYTES));
    }
    if (index != null && corpus != null) {
      throw new UserError("the text comes from --index or from --corpus: leave one of them out");
    }
    if (index != null && !Files.isDirectory(index)) {
      throw new UserError("index " + index + " does not exist: name the folder of a Lucene index");
    }
    if (index != null) {
      try {
        IndexCorpus.open(index).close();
      } catch (IOException e) {
        throw new UserError("index " + index + " cannot be read (" + e + "): check it", e);
      }
    }
    if (corpus != null && !isLinux() && !Files.exists(corpus)) {
      throw new UserError(
          "corpus "
              + corpus
              + " does not exist: name a folder, a zip or a tar archive of text, or "
              + DebianSource.LINUX);
    }
    javaOptions();
  }

  List<Scenario> scenarios() throws UserError {
    return scenarioNames == null ? List.of(Scenario.values()) : Scenario.named(scenarioNames);
  }

  /** Who takes part, each once. */
  List<ReadKind> kinds() throws UserError {
    List<ReadKind> kinds = new ArrayList<>();
    for (String name : new LinkedHashSet<>(directories)) {
      kinds.add(ReadKind.named(name.strip()));
    }
    if (kinds.isEmpty()) {
      throw new UserError("--directories names none: name at least one");
    }
    return kinds;
  }

  /** With a cache for {@code direct} if the user has not given it one. */
  JavaOptions javaOptions() throws UserError {
    List<String> names = directories.stream().map(String::strip).toList();
    JavaOptions given = JavaOptions.parse(javaOptions, names);
    if (!names.contains(DIRECT)
        || given.cacheBytes(DIRECT) != null
        || System.getProperty(CACHE) != null) {
      return given;
    }
    List<String> all = new ArrayList<>(javaOptions);
    all.add(
        DIRECT + "=-D" + CACHE + "=" + Math.max(MIN_CACHE, suite.memory() - heap() - JVM_BYTES));
    return JavaOptions.parse(all, names);
  }

  Load load() {
    return new Load(threads, batch, range, writerRate * 1e6, suite.seed());
  }

  double seconds() {
    return seconds != null ? seconds : suite.quick() ? 0.2 : 6;
  }

  double warmup() {
    return warmup != null ? warmup : suite.quick() ? 0.1 : 5;
  }

  /** Of the open loop: null for half of the slowest, 0 for none. */
  Double rate() {
    return rate;
  }

  long heap() {
    return heap != null ? heap : Math.max(MIN_HEAP, suite.memory() / 8);
  }

  Path index() {
    return index;
  }

  /** Whether an index of documents with keys may be taken as it is. */
  boolean anySize() {
    return documents == null && indexSize == null;
  }

  /** Null for the JDK's sources. */
  Path corpus() {
    return corpus;
  }

  /** Whether the corpus is the package of Linux. */
  boolean isLinux() {
    return corpus != null && corpus.toString().equals(DebianSource.LINUX);
  }

  PreparedIndex.Size size() {
    long docs =
        documents != null ? documents : suite.quick() && indexSize == null ? QUICK_DOCUMENTS : 0;
    String origin =
        index != null
            ? "index " + index.toAbsolutePath()
            : corpus == null ? "the JDK's src.zip" : corpus.toString();
    return new PreparedIndex.Size(indexSize != null ? indexSize : 2 * suite.memory(), docs, origin);
  }

  /** For the report. */
  Map<String, Object> describe() {
    Map<String, Object> settings = new LinkedHashMap<>();
    try {
      settings.put("scenarios", scenarios().stream().map(Scenario::label).toList());
      settings.put("javaOptions", javaOptions().all());
    } catch (UserError e) {
      throw new IllegalStateException("not checked", e);
    }
    settings.put("directories", directories);
    settings.put("threads", threads);
    settings.put("seconds", seconds());
    settings.put("warmupSeconds", warmup());
    settings.put("openLoopPerSecond", rate == null ? "half of the slowest" : rate);
    settings.put("writerMegabytesPerSecond", writerRate);
    settings.put("documentsOfARange", range);
    settings.put("keysOfABatch", batch);
    settings.put("heapBytes", heap());
    settings.put("index", index != null ? index.toString() : "built of " + size().origin());
    return settings;
  }
}
