/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import dev.pread.benchmarks.machine.ByteSize;
import dev.pread.benchmarks.report.Contender;
import dev.pread.benchmarks.report.Figures;
import dev.pread.benchmarks.report.Metric;
import dev.pread.benchmarks.suite.SuiteOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures how soon a directory is warm, and how fast it is then. */
@Command(name = "cold")
final class ColdCommand extends PressureCommand.Part {
  /** The time until the file is read at nine tenths of the rate of the end. */
  private static final Metric SECONDS_TO_WARM = Metric.cost("seconds to warm", "s");

  @Option(names = "--file-size", paramLabel = "SIZE")
  private Long fileSize;

  @Option(names = "--bytes", paramLabel = "N")
  private int bytes = 4096;

  @Option(names = "--zipf", paramLabel = "S")
  private double zipf;

  @Option(names = "--threads", paramLabel = "N")
  private int threads = 4;

  @Option(names = "--seconds", paramLabel = "S")
  private Double seconds;

  @Option(names = "--restart")
  private boolean restart;

  private double warmup;

  private record Conditions(String file, int bytes, int threads) {}

  @Override
  public void check(SuiteOptions options) {
    check(options, 0, 64 * MEBI);
    boolean quick = options.quick();
    fileSize = fileLength("--file-size", fileSize, (quick ? 16 : 1024) * MEBI);
    seconds = Objects.requireNonNullElse(seconds, quick ? 1.0 : 60.0);
    warmup = quick ? 0.2 : 5;
    checkRead(bytes, 512);
  }

  @Override
  protected void measureOnBed() throws IOException {
    Path file = data("data", fileSize, ReadBenchmark.CODE_FILE_BYTES);
    Map<String, Object> params = new HashMap<>();
    params.put("bytes", bytes);
    params.put("zipf", zipf);
    params.put("file", file);
    params.put("checkSeconds", warmup);
    session.rounds(
        name(),
        directories.kinds(),
        (kind, round) -> {
          params.put("way", kind);
          params.put("seed", SEED + round);
          measure(kind.contender(), params, false);
          if (restart && kind.contender().role() == Contender.Role.OURS) {
            measure(kind.contender(), params, true);
          }
        });
  }

  /** Measures one start, of a cache that has had the file before or has not. */
  private void measure(Contender contender, Map<String, Object> params, boolean again)
      throws IOException {
    params.put("watch", again ? ReadBenchmark.Watch.RESTARTED : ReadBenchmark.Watch.COLD);
    bed.drop(List.of(Path.of(params.get("file").toString())));
    run(
        contender,
        JmhTask.of(
            ReadBenchmark.class, params, threads, JmhTask.Times.intervals(seconds), List.of()),
        3 * warmup + seconds,
        result -> {
          String read = ByteSize.format(fileSize) + (again ? ", again after a restart" : "");
          Figures figures = Figures.under(new Conditions(read, bytes, threads));
          ColdCurve curve = new ColdCurve(result.value().scores(Kernel.READS));
          figures.add(Metric.throughput("reads/ms"), curve.warmRate());
          if (!curve.rising() && !Double.isNaN(curve.secondsToWarm())) {
            figures.add(SECONDS_TO_WARM, curve.secondsToWarm());
          } else {
            String who = name() + ": " + contender.name() + " was not warm at the end ";
            session.note(who + figures.conditions() + ": measure for longer");
          }
          figures.samples().addAll(result.value().more());
          figures.addKnown(PEAK_MEMORY, result.usage().peakBytes());
          return List.of(figures);
        });
  }
}
