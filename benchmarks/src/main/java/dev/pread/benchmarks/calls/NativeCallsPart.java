/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.calls;

import dev.pread.benchmarks.Checks;
import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.load.DataPattern;
import dev.pread.benchmarks.machine.ByteSize;
import dev.pread.benchmarks.machine.TestBed;
import dev.pread.benchmarks.machine.UnavailableException;
import dev.pread.benchmarks.measure.HitMismatch;
import dev.pread.benchmarks.result.Cell;
import dev.pread.benchmarks.result.Contender;
import dev.pread.benchmarks.result.Metric;
import dev.pread.benchmarks.result.Recorder;
import dev.pread.benchmarks.suite.ImplausibleResult;
import dev.pread.benchmarks.suite.ResidentReads;
import dev.pread.benchmarks.suite.Session;
import dev.pread.benchmarks.suite.SuiteOptions;
import dev.pread.benchmarks.suite.SuitePart;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import picocli.CommandLine.Option;

/**
 * Measures every {@link NativeWay} with JMH: each round is a fork of each, in turning order.
 * Mutable only while its options are parsed and checked.
 */
public final class NativeCallsPart implements SuitePart {
  private static final String NAME = "native";
  private static final long MEBI = 1L << 20;
  private static final List<Integer> LENGTHS = List.of(8 << 10, 128 << 10, 1 << 20);
  private static final List<Integer> QUICK_LENGTHS = List.of(128 << 10);
  private static final String READ = "read a file";
  private static final Metric COST = Metric.cost("time", "ns/call");

  @Option(
      names = "--file-size",
      paramLabel = "SIZE",
      converter = ByteSize.class,
      description = "Length of the file that is read; default: 256m, with --quick 32m")
  private Long fileSize;

  @Option(
      names = "--contenders",
      paramLabel = "NAME",
      split = ",",
      description =
          "Who takes part: ffm, jni, channel, pread-directory, bare-ffm, jdk, input-stream,"
              + " filechannel-heap; default: all that can be had")
  private List<String> contenders = new ArrayList<>();

  private int iterations;
  private TimeValue time;
  private List<Integer> lengths;

  /** With the defaults. */
  public NativeCallsPart() {}

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public void check(SuiteOptions options) throws UserError {
    fileSize = Checks.fileLength("--file-size", fileSize, options.quick() ? 32 * MEBI : 256 * MEBI);
    iterations = options.quick() ? 1 : 3;
    time = options.quick() ? TimeValue.milliseconds(100) : TimeValue.seconds(1);
    lengths = options.quick() ? QUICK_LENGTHS : LENGTHS;
  }

  @Override
  public Map<String, Object> settings() {
    Map<String, Object> settings = new LinkedHashMap<>();
    settings.put("fileBytes", fileSize);
    settings.put("iterations", iterations);
    settings.put("iterationMillis", time.convertTo(TimeUnit.MILLISECONDS));
    settings.put("readBytes", lengths);
    return settings;
  }

  @Override
  public void measure(Session session)
      throws IOException, UserError, HitMismatch, ImplausibleResult {
    try (TestBed bed = session.bed(NAME, 0)) {
      bed.folder().require(fileSize);
      Path file = bed.folder().path().resolve("data");
      DataPattern.write(file, fileSize, session.progress(), session.stop());
      if (!session.stop().requested()) {
        measure(session, file);
      }
    } catch (UnavailableException e) {
      throw new IllegalStateException("no memory limit was asked for", e);
    }
    ResidentReads.check(session.recorder().run(false), NAME, cell -> true);
  }

  private void measure(Session session, Path file) throws IOException, UserError, HitMismatch {
    List<Turn> all = turns(session.recorder(), file);
    int rounds = session.options().rounds();
    session.progress().start(NAME);
    int done = 0;
    for (int round = 0; round < rounds; round++) {
      List<Turn> turns = new ArrayList<>(all);
      Collections.rotate(turns, -round);
      for (Turn turn : turns) {
        session.progress().update(done++ / (double) (rounds * turns.size()), turn.toString());
        List<Double> nanos = Forks.run(options(turn, file), session.stop());
        if (nanos == null) {
          return;
        }
        record(session.recorder(), turn, nanos);
      }
    }
  }

  /**
   * A fork.
   *
   * @param kind null for reading the file
   * @param bytes of a read of the file, or 0
   */
  private record Turn(String way, Contender contender, CallKind kind, int bytes) {
    @Override
    public String toString() {
      return way + ", " + (kind == null ? READ + ", " + bytes : kind.text());
    }
  }

  /** All forks of a round, those of the same call after each other. */
  private List<Turn> turns(Recorder recorder, Path file) throws IOException, UserError {
    Map<String, String> missing = new LinkedHashMap<>();
    Map<String, NativeWay> ways = NativeWay.available(missing);
    for (String name : contenders) {
      if (!ways.containsKey(name) && !missing.containsKey(name)) {
        throw new UserError(
            "unknown contender '" + name + "': use " + String.join(", ", ways.keySet()));
      }
    }
    if (!contenders.isEmpty()) {
      ways.keySet().retainAll(contenders);
      missing.keySet().retainAll(contenders);
    }
    missing.forEach((name, why) -> recorder.skip(NAME + ": " + name, why));
    List<Turn> turns = new ArrayList<>();
    for (CallKind kind : CallKind.values()) {
      for (Map.Entry<String, NativeWay> way : ways.entrySet()) {
        NativeCall call = way.getValue().prepare(kind, file).orElse(null);
        if (call != null) {
          // Once here, where a failure is told as such.
          call.call();
          call.close();
          turns.add(new Turn(way.getKey(), way.getValue().contender(), kind, 0));
        } else if (way.getValue() instanceof BackendWay) {
          recorder.skip(
              NAME + ": " + kind.text() + ", " + way.getKey(),
              "this project asks descriptors, never paths: see fstat");
        }
      }
    }
    for (int bytes : lengths) {
      for (Map.Entry<String, NativeWay> way : ways.entrySet()) {
        NativeWay.Reader reader = way.getValue().open(file, bytes).orElse(null);
        if (reader != null) {
          reader.close();
          turns.add(new Turn(way.getKey(), way.getValue().contender(), null, bytes));
        }
      }
    }
    return turns;
  }

  private ChainedOptionsBuilder options(Turn turn, Path file) {
    Class<?> benchmark = turn.kind() == null ? HeapReadBenchmark.class : NativeCallBenchmark.class;
    ChainedOptionsBuilder options =
        new OptionsBuilder()
            .include("^" + Pattern.quote(benchmark.getName()) + "\\.")
            .param("file", file.toString())
            .param("way", turn.way())
            .warmupIterations(iterations)
            .warmupTime(time)
            .measurementIterations(iterations)
            .measurementTime(time);
    return turn.kind() == null
        ? options.param("bytes", Integer.toString(turn.bytes()))
        : options.param("kind", turn.kind().name());
  }

  private void record(Recorder recorder, Turn turn, List<Double> nanos) throws IOException {
    Map<String, String> conditions = new LinkedHashMap<>();
    conditions.put("call", turn.kind() == null ? READ : turn.kind().text());
    conditions.put("bytes", turn.kind() == null ? Integer.toString(turn.bytes()) : "-");
    Metric metric = turn.kind() == null ? ResidentReads.THROUGHPUT : COST;
    List<Double> samples =
        turn.kind() == null ? nanos.stream().map(x -> fileSize / x * 1e3).toList() : nanos;
    recorder.add(new Cell(NAME, conditions, turn.contender(), metric, samples));
  }
}
