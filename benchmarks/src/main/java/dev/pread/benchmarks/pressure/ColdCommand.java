/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.pressure;

import dev.pread.benchmarks.Checks;
import dev.pread.benchmarks.HitMismatch;
import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.child.ChildJvm;
import dev.pread.benchmarks.child.ChildLimits;
import dev.pread.benchmarks.index.DirectoryKind;
import dev.pread.benchmarks.load.ColdCurve;
import dev.pread.benchmarks.load.DataPattern;
import dev.pread.benchmarks.machine.ByteSize;
import dev.pread.benchmarks.result.Curve;
import dev.pread.benchmarks.result.Metric;
import dev.pread.benchmarks.suite.DirectoryOptions;
import dev.pread.benchmarks.suite.Figures;
import dev.pread.benchmarks.suite.Session;
import dev.pread.benchmarks.suite.SuiteCommand;
import dev.pread.benchmarks.suite.SuiteOptions;
import dev.pread.benchmarks.suite.SuitePart;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code pressure cold}: how soon a directory is warm, and how fast it is then. */
@Command(
    name = "cold",
    description =
        "Empties the page cache and reads random blocks of a file: throughput by the tenth of a"
            + " second, the time until 90 %% of the warm rate, and rate and latencies of the last"
            + " fifth of the time. The code is compiled before, on another file. Every read is"
            + " checked.")
final class ColdCommand extends SuiteCommand implements SuitePart {
  private static final long MEBI = 1L << 20;

  @Mixin private DirectoryOptions directories = new DirectoryOptions();

  @Option(
      names = "--file-size",
      paramLabel = "SIZE",
      converter = ByteSize.class,
      description =
          "Length of the file; more than --memory never becomes warm; default: 1g, with"
              + " --quick 16m")
  private Long fileSize;

  @Option(
      names = "--bytes",
      paramLabel = "N",
      description = "Length of a read, a multiple of 512; default: 4096")
  private int bytes = 4096;

  @Option(
      names = "--zipf",
      paramLabel = "S",
      description =
          "Read some blocks more often, by a Zipf distribution with this exponent, like 0.99;"
              + " default: all alike")
  private double zipf;

  @Option(
      names = "--threads",
      paramLabel = "N",
      description = "Threads that read at the same time; default: 4")
  private int threads = 4;

  @Option(
      names = "--warmup",
      paramLabel = "S",
      description = "Seconds to compile the code in, on another file; default: 5, with --quick 0.2")
  private Double warmup;

  @Option(
      names = "--warmup-size",
      paramLabel = "SIZE",
      converter = ByteSize.class,
      description =
          "Length of that file: the code alone is warm if it is short; if it is as long as the"
              + " other, the process has had the memory of its caches before, too; default: 32m,"
              + " with --quick 4m")
  private Long warmupSize;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      description =
          "Seconds of each run; its last fifth has to be warm; default: 60, with --quick 1")
  private Double seconds;

  private long memory;

  /** Made by picocli. */
  ColdCommand() {}

  @Override
  public String name() {
    return "cold";
  }

  @Override
  public void check(SuiteOptions options) throws UserError {
    memory = options.memory(0);
    directories.check(memory, 64 * MEBI);
    boolean quick = options.quick();
    fileSize = Checks.fileLength("--file-size", fileSize, quick ? 16 * MEBI : 1024 * MEBI);
    warmupSize = Checks.fileLength("--warmup-size", warmupSize, quick ? 4 * MEBI : 32 * MEBI);
    warmup = warmup != null ? warmup : Double.valueOf(quick ? 0.2 : 5);
    seconds = seconds != null ? seconds : Double.valueOf(quick ? 1 : 60);
    if (bytes < 512 || bytes > MEBI || bytes % 512 != 0) {
      throw new UserError(
          "--bytes " + bytes + " is no length of a read: use multiples of 512 up to 1048576");
    }
    Checks.notNegative("--zipf", zipf);
    Checks.positive("--threads", threads);
    Checks.notNegative("--warmup", warmup);
    Checks.positive("--seconds", seconds);
  }

  @Override
  public void measure(Session session) throws IOException, UserError, HitMismatch {
    session.onBed(
        name(),
        memory,
        bed -> {
          bed.folder().require(fileSize + warmupSize);
          Path file = bed.folder().path().resolve("data");
          Path warmFile = bed.folder().path().resolve("warm");
          DataPattern.write(file, fileSize, session.progress(), session.stop());
          DataPattern.write(warmFile, warmupSize, session.progress(), session.stop());
          ChildJvm jvm = directories.jvm(bed);
          session.rounds(
              name(),
              directories.kinds(),
              (kind, round) -> {
                bed.drop(List.of(file));
                ColdTask.Load load =
                    new ColdTask.Load(
                        threads, bytes, zipf, warmup, seconds, session.options().seed() + round);
                ColdTask task =
                    new ColdTask(kind.name(), file.toString(), warmFile.toString(), load);
                ChildJvm.Result<ColdTask.Result> result =
                    jvm.run(kind.name(), task, ChildLimits.maxSeconds(warmup + seconds));
                if (result != null) {
                  record(session, kind, round, result);
                }
              });
        });
  }

  private void record(
      Session session, DirectoryKind kind, int round, ChildJvm.Result<ColdTask.Result> result)
      throws IOException {
    Map<String, String> conditions = new LinkedHashMap<>();
    conditions.put("file", ByteSize.format(fileSize));
    conditions.put("bytes", Integer.toString(bytes));
    conditions.put("threads", Integer.toString(threads));
    Figures figures = new Figures(session.recorder(), name(), conditions, kind.contender());
    ColdCurve curve = new ColdCurve(result.value().reads());
    figures.add(Metric.throughput("reads/ms"), curve.warmRate());
    if (curve.rising() || Double.isNaN(curve.secondsToWarm())) {
      session.note("cold: " + kind + " was still getting faster at the end: raise --seconds");
    } else {
      figures.add(Metric.cost("seconds to warm", "s"), curve.secondsToWarm());
    }
    figures.addLatencies(result.value().warmLatencies(), "us");
    figures.addKnown(Metric.listedCost("major faults", ""), result.value().majorFaults());
    figures.addKnown(Metric.listedCost("peak memory", "bytes"), result.usage().peakBytes());
    if (round == 0) {
      // One shows how it goes; the figures are of all.
      List<Curve.Point> points =
          IntStream.range(0, curve.intervals())
              .mapToObj(
                  i -> new Curve.Point((i + 1) * (ColdCurve.INTERVAL_NANOS / 1e9), curve.rate(i)))
              .toList();
      Curve.Axes axes = new Curve.Axes("warming up", "seconds", "reads/ms", Curve.Scale.LINEAR);
      session.recorder().add(new Curve(name(), conditions, kind.contender(), axes, points));
    }
  }
}
