/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import dev.pread.benchmarks.machine.ChildJvm;
import dev.pread.benchmarks.machine.ChildTask;
import dev.pread.benchmarks.machine.DataPattern;
import dev.pread.benchmarks.machine.JavaOptions;
import dev.pread.benchmarks.machine.TestBed;
import dev.pread.benchmarks.machine.UnavailableException;
import dev.pread.benchmarks.machine.UserError;
import dev.pread.benchmarks.machine.WrongResult;
import dev.pread.benchmarks.report.Contender;
import dev.pread.benchmarks.report.Curve;
import dev.pread.benchmarks.report.Figures;
import dev.pread.benchmarks.report.Metric;
import dev.pread.benchmarks.suite.Session;
import dev.pread.benchmarks.suite.SuiteCommand;
import dev.pread.benchmarks.suite.SuitePart;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.util.IOConsumer;

/**
 * Does what the commands of this package do alike: each is a part by itself, after the ceilings,
 * which runs tasks in JVMs of their own and records what comes back.
 */
abstract class FileCommand extends SuiteCommand implements SuitePart {
  static final long MEBI = 1L << 20;

  /** The heap of a JVM that has nothing of what is measured there but some buffers. */
  static final long HEAP = 128 * MEBI;

  /** The rate of reading or writing whole files. */
  static final Metric BYTES = Metric.throughput("MB/s");

  /** The time until a cold file is read at nine tenths of the rate of the end. */
  static final Metric SECONDS_TO_WARM = Metric.cost("seconds to warm", "s");

  private static final Kernel.Shape PROBE = new Kernel.Shape(Order.FILE, 4096, 0);

  @Override
  protected List<SuitePart> parts() {
    return List.of(new CeilingCommand(), this);
  }

  /** Returns the memory limit of each process in bytes; 0 for none. */
  long memory() {
    return 0;
  }

  @Override
  public final void measure(Session session) throws IOException {
    arrange(session);
    List<String> violations =
        new Plausibility(session.recorder().run(false), memory()).violations(name());
    if (!violations.isEmpty() && !session.stop().requested()) {
      throw new WrongResult(String.join("; ", violations));
    }
  }

  /** Arranges the machine, and measures. */
  void arrange(Session session) throws IOException {
    session.onBed(name(), memory(), bed -> measure(session, bed));
  }

  /** Measures within the limit. */
  abstract void measure(Session session, TestBed bed) throws IOException, UnavailableException;

  /** Writes a file of {@link DataPattern}. */
  static Path data(Session session, TestBed bed, String name, long bytes) throws IOException {
    Path file = bed.folder().path().resolve(name);
    DataPattern.write(file, bytes, session.progress(), session.stop());
    return file;
  }

  /** Runs children, without options of their own. */
  static ChildJvm children(TestBed bed, long heapBytes) {
    return new ChildJvm(bed, heapBytes, new JavaOptions(List.of()));
  }

  /**
   * Runs a task in a JVM of its own, and records what it measured unless the run is being stopped.
   *
   * @param seconds it should take
   */
  static <T> void run(
      ChildJvm jvm,
      Object contender,
      ChildTask<T> task,
      double seconds,
      IOConsumer<ChildJvm.Result<T>> recording)
      throws IOException {
    ChildJvm.Result<T> result = jvm.run(contender.toString(), task, seconds);
    if (result != null) {
      recording.accept(result);
    }
  }

  /** Runs a task whose result is figures. */
  final void run(
      Session session,
      ChildJvm jvm,
      Contender contender,
      ChildTask<List<Figures>> task,
      double seconds)
      throws IOException {
    run(
        jvm,
        contender.name(),
        task,
        seconds,
        result -> {
          for (Figures figures : result.value()) {
            session.recorder().add(name(), contender, figures);
          }
        });
  }

  /** Checks that reads may have this length, in bytes. */
  static void checkRead(int bytes, int unit) {
    if (bytes < unit || bytes > MEBI || bytes % unit != 0) {
      throw new UserError(
          "--bytes " + bytes + " is no length of a read: use multiples of " + unit + " up to 1m");
    }
  }

  /**
   * Adds how a file that was cold became warm.
   *
   * @param contender who read it
   * @param mayBeWarm whether it has been read, and anything keeps it
   */
  final void warming(
      Session session, String contender, Figures figures, ColdCurve curve, boolean mayBeWarm) {
    List<Curve.Point> points = new ArrayList<>();
    for (double rate : curve.rates()) {
      points.add(new Curve.Point((points.size() + 1) * ColdCurve.INTERVAL_SECONDS, rate));
    }
    Curve.Axes axes = new Curve.Axes("warming up", "seconds", "reads/ms", Curve.Scale.LINEAR);
    figures.lines().add(new Figures.Line(axes, points));
    if (mayBeWarm && !curve.rising() && !Double.isNaN(curve.secondsToWarm())) {
      figures.add(SECONDS_TO_WARM, curve.secondsToWarm());
    } else {
      String who = name() + ": " + contender + " was not warm at the end ";
      session.note(who + figures.conditions() + ": measure for longer");
    }
  }

  /** Pairs a way to read or write with one of the manners that are compared. */
  record Turn(Way way, String manner) {
    @Override
    public String toString() {
      return way + ", " + manner;
    }
  }

  static List<Turn> turns(List<Way> ways, String... manners) {
    return ways.stream()
        .flatMap(way -> Stream.of(manners).map(manner -> new Turn(way, manner)))
        .toList();
  }

  /**
   * Returns the ways in which a file can be read here: tries what this machine or its file system
   * may refuse, and records that as left out. None if the run is being stopped, so that there may
   * be no file.
   */
  final List<Way> available(Session session, Collection<Way> ways, Path file) throws IOException {
    List<Way> available = new ArrayList<>();
    for (Way way : ways) {
      // Memory is always there.
      if (!session.stop().requested() && (way == Way.MEMCPY || canBeHad(session, way, file))) {
        available.add(way);
      }
    }
    return available;
  }

  private boolean canBeHad(Session session, Way way, Path file) throws IOException {
    String why;
    try (Source source = way.open(file, PROBE.bytes(), IOContext.DEFAULT)) {
      new Kernel(source.reader(), PROBE, 16L * PROBE.bytes(), null).run(true);
      why = source.usesPageCache().getAsBoolean() ? "it fell back to the page cache" : null;
    } catch (WrongResult e) {
      throw new WrongResult(way + ": " + e.getMessage());
    } catch (IllegalStateException | UnsupportedOperationException | LinkageError e) {
      why = e.toString();
    } catch (IOException e) {
      if (!way.needsDirectIo()) {
        throw e;
      }
      why = e.toString();
    }
    if (why != null) {
      String remedy = ": use the ffm or jni backend, and --work on a file system with O_DIRECT";
      session.skip(name() + ": " + way, why + (way.needsDirectIo() ? remedy : ""));
    }
    return why == null;
  }
}
