/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.streams;

import dev.pread.benchmarks.Checks;
import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.child.ChildJvm;
import dev.pread.benchmarks.child.ChildLimits;
import dev.pread.benchmarks.child.JavaOptions;
import dev.pread.benchmarks.load.DataPattern;
import dev.pread.benchmarks.load.WrongBytesException;
import dev.pread.benchmarks.machine.ByteSize;
import dev.pread.benchmarks.machine.TestBed;
import dev.pread.benchmarks.machine.UnavailableException;
import dev.pread.benchmarks.measure.HitMismatch;
import dev.pread.benchmarks.result.Cell;
import dev.pread.benchmarks.result.Recorder;
import dev.pread.benchmarks.suite.ImplausibleResult;
import dev.pread.benchmarks.suite.ResidentReads;
import dev.pread.benchmarks.suite.Session;
import dev.pread.benchmarks.suite.SuiteOptions;
import dev.pread.benchmarks.suite.SuitePart;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import picocli.CommandLine.Option;

/**
 * Measures every {@link StreamKind}, in a JVM of its own for each round. Mutable only while its
 * options are parsed and checked.
 */
public final class StreamsPart implements SuitePart {
  private static final String NAME = "streams";
  private static final long MEBI = 1L << 20;
  private static final List<Integer> BUFFERS = List.of(1 << 10, 8 << 10);
  private static final long HEAP_BYTES = 128 * MEBI;

  /** Slower than any disk to measure: only for the time limit of a child. */
  private static final double SLOW_BYTES_PER_SECOND = 20e6;

  @Option(
      names = "--file-size",
      paramLabel = "SIZE",
      converter = ByteSize.class,
      description = "Length of the files; default: 1g, with --quick 32m")
  private Long fileSize;

  @Option(
      names = "--runs",
      paramLabel = "N",
      description =
          "Runs of each JVM, which are all kept, the first too; default: 3, with --quick 1")
  private Integer runs;

  @Option(
      names = "--contenders",
      paramLabel = "NAME",
      split = ",",
      description =
          "Who takes part, of stream, heap-buffer, direct-buffer, mapped-buffer, mmap, niofs, pread,"
              + " direct-directory; default: all")
  private List<String> contenders = Stream.of(StreamKind.values()).map(StreamKind::text).toList();

  private List<StreamKind> kinds = List.of();

  /** With the defaults. */
  public StreamsPart() {}

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public void check(SuiteOptions options) throws UserError {
    fileSize =
        Checks.fileLength("--file-size", fileSize, options.quick() ? 32 * MEBI : 1024 * MEBI);
    if (runs == null) {
      runs = options.quick() ? 1 : 3;
    }
    if (runs < 1) {
      throw new UserError("--runs is " + runs + ": it must be greater than 0");
    }
    kinds = new ArrayList<>();
    for (String contender : contenders) {
      kinds.add(StreamKind.named(contender));
    }
  }

  @Override
  public Map<String, Object> settings() {
    Map<String, Object> settings = new LinkedHashMap<>();
    settings.put("fileBytes", fileSize);
    settings.put("runs", runs);
    settings.put("buffers", BUFFERS);
    return settings;
  }

  @Override
  public void measure(Session session)
      throws IOException, UserError, HitMismatch, ImplausibleResult {
    try (TestBed bed = session.bed(NAME, 0)) {
      bed.folder().require((1 + BUFFERS.size()) * fileSize);
      Path folder = bed.folder().path();
      Path data = folder.resolve(StreamsTask.DATA);
      DataPattern.write(data, fileSize, session.progress(), session.stop());
      if (!session.stop().requested()) {
        measure(session, bed, folder);
      }
    } catch (UnavailableException e) {
      throw new IllegalStateException("no memory limit was asked for", e);
    }
    ResidentReads.check(
        session.recorder().run(false), NAME, cell -> "warm".equals(cell.conditions().get("cache")));
  }

  private void measure(Session session, TestBed bed, Path folder)
      throws IOException, UserError, HitMismatch {
    ChildJvm jvm = new ChildJvm(bed, HEAP_BYTES, JavaOptions.parse(List.of(), List.of()));
    double bytes = 3.0 * fileSize * BUFFERS.size() * runs;
    Set<StreamKind> leftOut = new HashSet<>();
    int rounds = session.options().rounds();
    session.progress().start(NAME);
    int done = 0;
    for (int round = 0; round < rounds; round++) {
      List<StreamKind> turns = new ArrayList<>(kinds);
      Collections.rotate(turns, -round);
      List<Integer> buffers = new ArrayList<>(BUFFERS);
      Collections.rotate(buffers, -round);
      for (StreamKind kind : turns) {
        session.progress().update(done++ / (double) (rounds * turns.size()), kind.text());
        warm(session, folder.resolve(StreamsTask.DATA));
        if (session.stop().requested()) {
          return;
        }
        if (leftOut.contains(kind)) {
          continue;
        }
        StreamsTask task = new StreamsTask(kind, folder.toString(), fileSize, buffers, runs);
        ChildJvm.Result<StreamsTask.Result> result =
            jvm.run(kind.text(), task, ChildLimits.maxSeconds(bytes / SLOW_BYTES_PER_SECOND));
        if (result == null) {
          return;
        }
        verify(session, kind, folder, round == 0);
        String pretends = result.value().pretends();
        if (pretends != null) {
          leftOut.add(kind);
          session.recorder().skip(NAME + ": " + kind.text(), pretends);
        } else {
          record(session.recorder(), kind, result.value());
        }
      }
    }
  }

  /** Whatever has been written meanwhile: the file that is read is in the page cache. */
  private static void warm(Session session, Path file) throws IOException {
    byte[] chunk = new byte[(int) MEBI];
    try (InputStream in = Files.newInputStream(file)) {
      while (!session.stop().requested() && in.read(chunk) >= 0) {
        // To the end.
      }
    }
  }

  /** Takes what has been written away, and looks at it first if it has not been looked at. */
  private void verify(Session session, StreamKind kind, Path folder, boolean look)
      throws IOException, HitMismatch {
    for (int buffer : BUFFERS) {
      Path file = StreamsTask.written(folder, buffer);
      if (look && !session.stop().requested()) {
        try {
          Blocks.verify(file, fileSize, buffer);
        } catch (WrongBytesException e) {
          throw new HitMismatch(
              kind.text() + " wrote " + file + ", which has " + e.getMessage(), e);
        }
      }
      Files.delete(file);
    }
  }

  private void record(Recorder recorder, StreamKind kind, StreamsTask.Result result)
      throws IOException {
    boolean first = true;
    for (StreamsTask.Times times : result.runs()) {
      Map<String, String> conditions = new LinkedHashMap<>();
      conditions.put("operation", "write");
      conditions.put("buffer", Integer.toString(times.buffer()));
      conditions.put("cache", "dirty");
      conditions.put("run", first ? "first" : "later");
      add(recorder, kind, conditions, times.writeNanos());
      conditions.put("operation", "write+sync");
      conditions.put("cache", "synced");
      add(recorder, kind, conditions, times.writeNanos() + times.syncNanos());
      conditions.put("operation", "read");
      conditions.put("cache", "warm");
      add(recorder, kind, conditions, times.readNanos());
      first = false;
    }
  }

  private void add(Recorder recorder, StreamKind kind, Map<String, String> conditions, long nanos)
      throws IOException {
    double megabytesPerSecond = fileSize / 1e6 / (nanos / 1e9);
    recorder.add(
        new Cell(
            NAME,
            conditions,
            kind.contender(),
            ResidentReads.THROUGHPUT,
            List.of(megabytesPerSecond)));
  }
}
