/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.child.ChildJvm;
import dev.pread.benchmarks.child.ChildKilled;
import dev.pread.benchmarks.child.ChildLimits;
import dev.pread.benchmarks.child.JavaOptions;
import dev.pread.benchmarks.load.ColdCurve;
import dev.pread.benchmarks.load.DataPattern;
import dev.pread.benchmarks.load.WrongBytesException;
import dev.pread.benchmarks.machine.ByteSize;
import dev.pread.benchmarks.machine.TestBed;
import dev.pread.benchmarks.machine.UnavailableException;
import dev.pread.benchmarks.measure.HitMismatch;
import dev.pread.benchmarks.result.Curve;
import dev.pread.benchmarks.result.Metric;
import dev.pread.benchmarks.suite.ImplausibleResult;
import dev.pread.benchmarks.suite.Session;
import dev.pread.benchmarks.suite.SuiteOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.apache.lucene.store.IOContext;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Every way to read a file, where it fits into memory and where it does not: arranges the files,
 * the memory limit and the turns of the contenders, and says what cannot be true at the end.
 * Mutable only while its options are parsed and checked.
 */
@Command(
    name = "grid",
    description =
        "Reads blocks of a file in every way there is, at random and in a row, with 1 to 16"
            + " threads, where the file fits into memory, just does not, exceeds it, or is cold."
            + " JMH measures, within a memory cgroup; every way's bytes are checked.")
public final class GridCommand extends FileCommand {
  /** Of its cells. */
  static final String NAME = "grid";

  /** By which contenders are compared. */
  static final Metric THROUGHPUT = Metric.throughput("ops/ms");

  /** Of cold files: until nine tenths of the rate it ends with. */
  static final Metric SECONDS_TO_WARM = Metric.cost("seconds to warm", "s");

  private static final Metric MAJOR_FAULTS = Metric.fact("major faults per operation", "");
  private static final Metric PEAK_MEMORY = Metric.fact("peak memory", "bytes");
  private static final Curve.Axes WARMING =
      new Curve.Axes("warming up", "seconds", "reads/ms", Curve.Scale.LINEAR);

  /** Nothing of what is measured is in the heap but a block for each thread. */
  static final long HEAP = 64 * MEBI;

  private static final double INTERVAL_SECONDS = ColdCurve.INTERVAL_NANOS / 1e9;

  /** At which a file is taken to be read before anything is measured: a slow disk's rate. */
  private static final double SLOW_BYTES_PER_SECOND = 50e6;

  /** Who takes part in a quick run where the file does not fit. */
  private static final Map<Regime, List<Way>> SOME =
      Map.of(
          Regime.LIMIT,
          List.of(Way.MMAP, Way.NIOFS, Way.PREAD, Way.DIRECT),
          Regime.EXCEEDS,
          List.of(
              Way.MMAP,
              Way.MMAP_SEGMENT_RANDOM_PREFETCH,
              Way.FFM_PREAD,
              Way.PREAD_PREFETCH,
              Way.DIRECT,
              Way.DIRECT_PREFETCH),
          Regime.COLD,
          List.of(Way.MMAP, Way.PREAD, Way.DIRECT));

  @Option(
      names = "--regimes",
      paramLabel = "NAME",
      split = ",",
      description =
          "How the file compares with --memory: fits (a quarter), limit (as long), exceeds (four"
              + " times), cold (a quarter, nothing of it in memory); default: all")
  private List<Regime> regimes = List.of(Regime.values());

  @Option(
      names = "--strategies",
      paramLabel = "NAME",
      split = ",",
      description =
          "How to read: mmap-segment, mmap-segment-random, mmap-segment-random-prefetch, ffm-pread,"
              + " channel-direct, channel-heap, ffm-odirect, mmap, niofs, direct-io-directory, pread,"
              + " direct, mmap-prefetch, pread-prefetch, direct-prefetch, memcpy; default: all, with"
              + " --quick all where the file fits and some elsewhere")
  private List<String> strategies;

  @Option(
      names = "--bytes",
      paramLabel = "N",
      split = ",",
      description = "Length of a read, multiples of 4096; default: 4096,16384, with --quick 4096")
  private List<Integer> bytes;

  @Option(
      names = "--orders",
      paramLabel = "NAME",
      split = ",",
      description =
          "Where the sixteen reads of an operation are: random, sequential; default: both, with"
              + " --quick random; cold files are read at random only")
  private List<Order> orders;

  @Option(
      names = "--threads",
      paramLabel = "N",
      split = ",",
      description = "Threads that read at the same time; default: 1,4,8,16, with --quick 4")
  private List<Integer> threads;

  @Option(
      names = "--iterations",
      paramLabel = "N",
      description = "Measured iterations of each fork; default: 3, with --quick 1")
  private Integer iterations;

  @Option(
      names = "--iteration-seconds",
      paramLabel = "S",
      description = "Length of a measured iteration; default: 2, with --quick 0.2")
  private Double seconds;

  @Option(
      names = "--cold-seconds",
      paramLabel = "S",
      description =
          "How long a cold file is read, the last fifth of which has to be warm; default: 10, with"
              + " --quick 1")
  private Double coldSeconds;

  @Option(
      names = "--java-option",
      paramLabel = "NAME=OPTION",
      description =
          "An option for the JVM of one strategy, or of all, like"
              + " direct=-Ddev.pread.direct.cache.bytes=256m; repeatable")
  private List<String> javaOptions = new ArrayList<>();

  private final Map<Regime, List<Way>> contenders = new EnumMap<>(Regime.class);
  private JavaOptions options;
  private double checkSeconds;
  private long memory;

  /** With the defaults; or made by picocli. */
  public GridCommand() {
    super(NAME);
  }

  /** The conditions of a cell. */
  record Point(Regime regime, Order order, int bytes, int threads) {
    /** As reports have them. */
    Map<String, String> conditions() {
      Map<String, String> conditions = new LinkedHashMap<>();
      conditions.put("regime", regime.label());
      conditions.put("order", order.label());
      conditions.put("bytes", Integer.toString(bytes));
      conditions.put("threads", Integer.toString(threads));
      return conditions;
    }

    @Override
    public String toString() {
      return String.join(", ", conditions().values());
    }
  }

  /** One fork of JMH: who reads at a point of the grid. */
  record Turn(Point point, Way way) {
    @Override
    public String toString() {
      return way.label() + " (" + point + ")";
    }
  }

  @Override
  public void check(SuiteOptions suite) throws UserError {
    boolean quick = suite.quick();
    memory = suite.memory();
    orders = or(orders, quick ? List.of(Order.RANDOM) : List.of(Order.RANDOM, Order.SEQUENTIAL));
    bytes = or(bytes, quick ? List.of(4096) : List.of(4096, 16384));
    threads = or(threads, quick ? List.of(4) : List.of(1, 4, 8, 16));
    iterations = or(iterations, quick ? 1 : 3);
    seconds = or(seconds, quick ? 0.2 : 2.0);
    coldSeconds = or(coldSeconds, quick ? 1.0 : 10.0);
    checkSeconds = quick ? 0.2 : 1.0;
    for (int length : bytes) {
      if (length < 4096 || length > MEBI || length % 4096 != 0) {
        throw new UserError(
            "--bytes " + length + " is no length of a read: use multiples of 4096 up to 1048576");
      }
    }
    for (int count : threads) {
      within("--threads", count, 1, 1024);
    }
    within("--iterations", iterations, 1, 1000);
    within("--iteration-seconds", seconds, 0.01, 3600);
    within("--cold-seconds", coldSeconds, 0.5, 3600);
    options = JavaOptions.parse(javaOptions, Way.GRID.stream().map(Way::label).toList());
    List<Way> named = Way.GRID;
    if (strategies != null) {
      named = new ArrayList<>();
      for (String name : new LinkedHashSet<>(strategies)) {
        named.add(Way.named(name.strip()));
      }
    }
    for (Regime regime : regimes) {
      List<Way> wanted = new ArrayList<>(named);
      if (quick && strategies == null && SOME.containsKey(regime)) {
        wanted.retainAll(SOME.get(regime));
      }
      if (regime != Regime.FITS) {
        wanted.remove(Way.MEMCPY);
      }
      contenders.put(regime, wanted);
    }
  }

  private static void within(String option, double value, double min, double max) throws UserError {
    if (!(value >= min && value <= max)) {
      throw new UserError(option + " is " + value + ": it must be between " + min + " and " + max);
    }
  }

  @Override
  public void measure(Session session)
      throws IOException, UserError, HitMismatch, ImplausibleResult {
    try (TestBed bed = limited(session)) {
      Map<Regime, Path> files = files(session, bed);
      if (session.stop().requested()) {
        return;
      }
      List<Way> refused = probe(session, files.values().iterator().next());
      contenders.values().forEach(ways -> ways.removeAll(refused));
      note(session);
      ChildJvm jvm = new ChildJvm(bed, HEAP, options);
      int[] turns = {0};
      // In each round the contenders of one point run one after the other, in turning order.
      session.rounds(
          NAME,
          points(),
          (point, round) -> {
            List<Way> ways = new ArrayList<>(contenders.get(point.regime()));
            Collections.rotate(ways, -turns[0]++);
            for (Way way : ways) {
              if (!session.stop().requested()) {
                bed.drop(List.copyOf(files.values()));
                measure(session, jvm, new Turn(point, way), files, round);
              }
            }
          });
    }
    List<String> violations = new Plausibility(memory).violations(session.recorder().run(false));
    if (!session.stop().requested() && !violations.isEmpty()) {
      throw new ImplausibleResult(String.join("; ", violations));
    }
  }

  /** A bed with a limit or, where none can be had, without and with what needs one left out. */
  private TestBed limited(Session session) throws IOException, UserError {
    try {
      return session.bed(NAME, memory);
    } catch (UnavailableException e) {
      for (Regime regime : List.of(Regime.LIMIT, Regime.EXCEEDS)) {
        if (contenders.remove(regime) != null) {
          session.recorder().skip(NAME + ": regime " + regime.label(), e.getMessage());
        }
      }
      session
          .recorder()
          .note(NAME + ": fits and cold without a memory limit, which cannot be had here");
    }
    try {
      return session.bed(NAME, 0);
    } catch (UnavailableException e) {
      throw new IllegalStateException("no memory limit was asked for", e);
    }
  }

  private Map<Regime, Path> files(Session session, TestBed bed) throws IOException, UserError {
    Map<Regime, Path> files = new EnumMap<>(Regime.class);
    Path folder = bed.folder().path();
    long all = ReadBenchmark.CODE_FILE_BYTES;
    for (Regime regime : contenders.keySet()) {
      long size = regime.fileBytes(memory);
      Path file = folder.resolve("data-" + size / MEBI + "m");
      all += files.containsValue(file) ? 0 : size;
      files.put(regime, file);
    }
    bed.folder().require(all);
    for (Map.Entry<Regime, Path> file : files.entrySet()) {
      if (!session.stop().requested()) {
        long size = file.getKey().fileBytes(memory);
        DataPattern.write(file.getValue(), size, session.progress(), session.stop());
      }
    }
    DataPattern.write(folder.resolve(ReadBenchmark.CODE_FILE), ReadBenchmark.CODE_FILE_BYTES);
    return files;
  }

  /** Tries what a file system may refuse; what it does refuse is left out. */
  private List<Way> probe(Session session, Path file) throws IOException, HitMismatch {
    List<Way> refused = new ArrayList<>();
    int length = Collections.min(bytes);
    for (Way way : Way.GRID) {
      if (!way.needsDirectIo()
          || contenders.values().stream().noneMatch(named -> named.contains(way))) {
        continue;
      }
      String why = null;
      try (Source source = way.open(file, length, IOContext.DEFAULT)) {
        SplittableRandom random = new SplittableRandom(length);
        new Kernel(source.reader(), Order.RANDOM, Files.size(file), length, random).run(true);
        why = source.fellBack() ? "falls back to the page cache" : null;
      } catch (WrongBytesException e) {
        throw new HitMismatch(way.label() + ": " + e.getMessage(), null);
      } catch (IOException | IllegalStateException | UnsupportedOperationException e) {
        why = e.toString();
      }
      if (why != null) {
        refused.add(way);
        session
            .recorder()
            .skip(
                NAME + ": " + way.label(),
                why
                    + " (name a folder with --work on a file system with direct I/O, like ext4 or"
                    + " xfs)");
      }
    }
    return refused;
  }

  private void note(Session session) {
    session
        .recorder()
        .note(
            NAME
                + ": an operation is "
                + Kernel.READS
                + " reads; caches are the same in all regimes: "
                + ByteSize.format(Way.PREAD.cacheBytes(memory, HEAP))
                + " for pread*, "
                + ByteSize.format(Way.DIRECT.cacheBytes(memory, HEAP))
                + " for direct* (where no option or property says otherwise), of a limit of "
                + ByteSize.format(memory)
                + " with a heap of "
                + ByteSize.format(HEAP)
                + "; the buffer of direct-io-directory is one read long");
  }

  private List<Point> points() {
    List<Point> points = new ArrayList<>();
    for (Regime regime : contenders.keySet()) {
      for (Order order : regime == Regime.COLD ? List.of(Order.RANDOM) : orders) {
        for (int length : bytes) {
          for (int count : threads) {
            points.add(new Point(regime, order, length, count));
          }
        }
      }
    }
    return points;
  }

  /** Runs a fork and records it. */
  private void measure(Session session, ChildJvm jvm, Turn turn, Map<Regime, Path> files, int round)
      throws IOException, UserError, HitMismatch {
    Point point = turn.point();
    JmhTask.Times times =
        point.regime() == Regime.COLD
            ? new JmhTask.Times(
                0, (int) Math.round(coldSeconds / INTERVAL_SECONDS), INTERVAL_SECONDS)
            : new JmhTask.Times(session.options().quick() ? 1 : 2, iterations, seconds);
    Map<String, String> params = new LinkedHashMap<>(point.conditions());
    params.remove("threads");
    params.put("way", turn.way().label());
    params.put("file", files.get(point.regime()).toString());
    params.put("seed", Long.toString(session.options().seed() + round));
    params.put("checkSeconds", Double.toString(checkSeconds));
    JmhTask task =
        new JmhTask(
            ReadBenchmark.class.getSimpleName(), params, point.threads(), times, jvmOptions(turn));
    double expected =
        2 * checkSeconds + times.total() + point.regime().fileBytes(memory) / SLOW_BYTES_PER_SECOND;
    ChildJvm.Result<JmhTask.Measured> result;
    try {
      result = jvm.run(turn.way().label(), task, ChildLimits.maxSeconds(expected));
    } catch (ChildKilled e) {
      session.recorder().skip(NAME + ": " + turn, e.getMessage());
      return;
    }
    if (result != null) {
      record(session, turn, result, round);
    }
  }

  private List<String> jvmOptions(Turn turn) {
    List<String> words = new ArrayList<>();
    // A cache without FFM is in direct buffers, which would be limited by the heap's size.
    words.add("-XX:MaxDirectMemorySize=" + memory);
    long cache = turn.way().cacheBytes(memory, HEAP);
    if (cache > 0) {
      words.add("-D" + Sources.cacheProperty(turn.way().needsDirectIo()) + "=" + cache);
    }
    return words;
  }

  private void record(
      Session session, Turn turn, ChildJvm.Result<JmhTask.Measured> result, int round)
      throws IOException {
    JmhTask.Measured measured = result.value();
    double[] scores = measured.scores().stream().mapToDouble(x -> x).toArray();
    if (turn.point().regime() == Regime.COLD) {
      warming(session, turn, measured, round == 0);
      scores = new double[] {Arrays.stream(scores).average().orElse(0)};
    }
    record(session, turn, THROUGHPUT, scores);
    if (measured.majorFaults() >= 0 && measured.operations() > 0) {
      record(session, turn, MAJOR_FAULTS, measured.majorFaults() / (double) measured.operations());
    }
    if (result.usage().peakBytes() >= 0) {
      record(session, turn, PEAK_MEMORY, (double) result.usage().peakBytes());
    }
  }

  private void record(Session session, Turn turn, Metric metric, double... samples)
      throws IOException {
    record(session, turn.point().conditions(), turn.way().contender(), metric, samples);
  }

  /** The iterations of a cold file are its intervals. */
  private void warming(Session session, Turn turn, JmhTask.Measured measured, boolean first)
      throws IOException {
    double[] rates = measured.scores().stream().mapToDouble(x -> x * Kernel.READS).toArray();
    ColdCurve curve = ColdCurve.ofRates(rates);
    if (first) {
      // One shows how it goes; the figures are of all.
      List<Curve.Point> points = new ArrayList<>();
      for (int i = 0; i < rates.length; i++) {
        points.add(new Curve.Point((i + 1) * INTERVAL_SECONDS, rates[i]));
      }
      Map<String, String> conditions = turn.point().conditions();
      session.recorder().add(new Curve(NAME, conditions, turn.way().contender(), WARMING, points));
    }
    if (turn.way().keeps() == Way.Keeps.NOTHING) {
      return; // There is nothing that gets warm.
    }
    long read = measured.operations() * Kernel.READS * turn.point().bytes();
    if (read >= turn.point().regime().fileBytes(memory)
        && !curve.rising()
        && !Double.isNaN(curve.secondsToWarm())) {
      record(session, turn, SECONDS_TO_WARM, curve.secondsToWarm());
    } else {
      session.recorder().note(NAME + ": not warm at the end: " + turn + "; raise --cold-seconds");
    }
  }
}
