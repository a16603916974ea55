/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import dev.pread.benchmarks.Checks;
import dev.pread.benchmarks.HitMismatch;
import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.child.ChildJvm;
import dev.pread.benchmarks.child.ChildLimits;
import dev.pread.benchmarks.machine.ByteSize;
import dev.pread.benchmarks.result.Contender;
import dev.pread.benchmarks.result.Metric;
import dev.pread.benchmarks.suite.ImplausibleResult;
import dev.pread.benchmarks.suite.ResidentReads;
import dev.pread.benchmarks.suite.Session;
import dev.pread.benchmarks.suite.SuiteOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.lucene.store.IOContext;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Single system calls through each backend and others, and reads of a whole file into arrays: each
 * round is a fork of JMH for each. Mutable only while its options are parsed and checked.
 */
@Command(
    name = "native",
    description =
        "Measures what single system calls cost through each backend and through the JDK, and"
            + " reads a file in the page cache into arrays.")
public final class NativeCommand extends FileCommand {
  private static final long HEAP = 128 * MEBI;
  private static final List<Integer> LENGTHS = List.of(8 << 10, 128 << 10, 1 << 20);
  private static final List<Integer> QUICK_LENGTHS = List.of(128 << 10);
  private static final String READ = "read a file";
  private static final String CACHE = "-Ddev.pread.cache.bytes=";
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
          "Who takes part: ffm, jni, channel, pread-directory, pread-directory-cached, bare-ffm,"
              + " jdk, input-stream, filechannel-heap; default: all that can be had")
  private List<String> named;

  private final List<Who> contenders = new ArrayList<>();
  private List<Integer> lengths;
  private JmhTask.Times times;

  /** With the defaults; or made by picocli. */
  public NativeCommand() {
    super("native");
  }

  /**
   * Who takes part.
   *
   * @param reads how it reads a file into arrays, or null
   * @param calls whether it makes single calls
   */
  private record Who(Contender contender, Way reads, boolean calls) {
    String name() {
      return contender.name();
    }
  }

  /**
   * A fork.
   *
   * @param kind of the call; null for reading the file
   * @param bytes of a read of the file, or 0
   */
  private record Turn(Who who, NativeCall.Kind kind, int bytes) {
    @Override
    public String toString() {
      return who.name() + ", " + (kind == null ? READ + ", " + bytes : kind.text());
    }
  }

  private static List<Who> all() {
    List<Who> all = new ArrayList<>();
    for (Way backend : List.of(Way.FFM, Way.JNI, Way.CHANNEL)) {
      all.add(new Who(backend.contender(), backend, true));
    }
    // Without a cache, so that what is measured is the calls; then with what a user has: the file
    // is in the cache before it is measured.
    all.add(new Who(Contender.ours("pread-directory"), Way.PREAD, false));
    all.add(new Who(Contender.ours("pread-directory-cached"), Way.PREAD, false));
    all.add(new Who(Contender.ceiling(NativeCall.BARE), Way.FFM_PREAD, true));
    all.add(new Who(Contender.other(NativeCall.JDK), null, true));
    all.add(new Who(Contender.other("input-stream"), Way.INPUT_STREAM, false));
    all.add(new Who(Contender.other("filechannel-heap"), Way.CHANNEL_HEAP, false));
    return all;
  }

  @Override
  public void check(SuiteOptions options) throws UserError {
    fileSize = Checks.fileLength("--file-size", fileSize, options.quick() ? 32 * MEBI : 256 * MEBI);
    lengths = options.quick() ? QUICK_LENGTHS : LENGTHS;
    times = options.quick() ? new JmhTask.Times(1, 1, 0.1) : new JmhTask.Times(6, 3, 1);
    List<String> names = all().stream().map(Who::name).toList();
    for (String name : named == null ? names : named) {
      if (!names.contains(name)) {
        throw new UserError("unknown contender '" + name + "': use " + String.join(", ", names));
      }
      contenders.add(all().get(names.indexOf(name)));
    }
    if (fileSize < Kernel.READS * (long) lengths.get(lengths.size() - 1)) {
      throw new UserError("--file-size is " + fileSize + ": it must be 16m or more");
    }
  }

  @Override
  public void measure(Session session)
      throws IOException, UserError, HitMismatch, ImplausibleResult {
    session.onBed(
        name(),
        0,
        bed -> {
          Path file = data(session, bed, fileSize, 0);
          if (!session.stop().requested()) {
            ChildJvm jvm = children(bed, HEAP);
            List<Turn> turns = turns(session, file);
            session.rounds(name(), turns, (turn, round) -> measure(session, jvm, turn, file));
          }
        });
    ResidentReads.check(session.recorder().run(false), name(), cell -> true);
  }

  /** All forks of a round, those of the same call after each other. */
  private List<Turn> turns(Session session, Path file) throws IOException {
    List<Turn> turns = new ArrayList<>();
    for (NativeCall.Kind kind : NativeCall.Kind.values()) {
      for (Who who : contenders) {
        if (who.calls()) {
          try (NativeCall call = kind.prepare(who.name(), file)) {
            call.call();
            turns.add(new Turn(who, kind, 0));
          } catch (IllegalStateException | LinkageError e) {
            session.recorder().skip(name() + ": " + kind.text() + ", " + who.name(), why(e));
          }
        }
      }
    }
    for (int length : lengths) {
      for (Who who : contenders) {
        if (who.reads() != null) {
          try {
            who.reads().open(file, length, IOContext.DEFAULT).close();
            turns.add(new Turn(who, null, length));
          } catch (IllegalStateException | LinkageError e) {
            session.recorder().skip(name() + ": " + who.name(), why(e));
          }
        }
      }
    }
    return turns;
  }

  private static String why(Throwable e) {
    return e instanceof IllegalStateException
        ? e.getMessage()
        : e + ": run on 64-bit Linux, Java 22 and glibc 2.33 or later";
  }

  private void measure(Session session, ChildJvm jvm, Turn turn, Path file)
      throws IOException, UserError, HitMismatch {
    boolean reads = turn.kind() == null;
    Map<String, String> params = new LinkedHashMap<>();
    params.put("file", file.toString());
    if (reads) {
      params.put("way", turn.who().reads().label());
      params.put("bytes", Integer.toString(turn.bytes()));
      params.put("order", Order.FILE.label());
      params.put("checkSeconds", Double.toString(times.seconds()));
    } else {
      params.put("caller", turn.who().name());
      params.put("kind", turn.kind().name());
    }
    Class<?> benchmark = reads ? ReadBenchmark.class : NativeCallBenchmark.class;
    long cache = turn.who().name().endsWith("-cached") ? 2 * fileSize : 0;
    List<String> options =
        List.of(CACHE + cache, "-XX:MaxDirectMemorySize=" + (2 * fileSize + HEAP));
    ChildJvm.Result<JmhTask.Measured> result =
        jvm.run(
            turn.who().name(),
            new JmhTask(benchmark.getSimpleName(), params, 1, times, options),
            ChildLimits.maxSeconds(times.total() + times.seconds()));
    if (result == null) {
      return;
    }
    Map<String, String> conditions = new LinkedHashMap<>();
    conditions.put("call", reads ? READ : turn.kind().text());
    conditions.put("bytes", reads ? Integer.toString(turn.bytes()) : "-");
    // An operation is 16 reads, and 1 byte/ms is 1 kB/s.
    double factor = reads ? Kernel.READS * (double) turn.bytes() / 1e3 : 1;
    record(
        session,
        conditions,
        turn.who().contender(),
        reads ? ResidentReads.THROUGHPUT : COST,
        result.value().scores().stream().mapToDouble(score -> score * factor).toArray());
  }
}
