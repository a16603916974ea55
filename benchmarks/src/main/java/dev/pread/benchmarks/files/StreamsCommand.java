/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import dev.pread.benchmarks.Checks;
import dev.pread.benchmarks.HitMismatch;
import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.child.ChildJvm;
import dev.pread.benchmarks.child.ChildLimits;
import dev.pread.benchmarks.load.WrongBytesException;
import dev.pread.benchmarks.machine.ByteSize;
import dev.pread.benchmarks.result.Contender;
import dev.pread.benchmarks.suite.ImplausibleResult;
import dev.pread.benchmarks.suite.ResidentReads;
import dev.pread.benchmarks.suite.Session;
import dev.pread.benchmarks.suite.SuiteOptions;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Measures every kind of {@link StreamsTask}, in a JVM of its own for each round. Mutable only
 * while its options are parsed and checked.
 */
@Command(
    name = "streams",
    description =
        "Writes and reads whole files through streams, channels, mappings and Lucene's outputs"
            + " and inputs.")
public final class StreamsCommand extends FileCommand {
  /** Why a direct directory has no figures. */
  static final String FELL_BACK =
      "it fell back to the page cache: it needs the ffm backend, and a file system with O_DIRECT"
          + " (--work)";

  private static final List<Integer> BUFFERS = List.of(1 << 10, 8 << 10);
  private static final long HEAP = 128 * MEBI;

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
  private List<String> contenders =
      Stream.of(StreamsTask.Kind.values()).map(StreamsTask.Kind::text).toList();

  private final List<StreamsTask.Kind> kinds = new ArrayList<>();

  /** With the defaults; or made by picocli. */
  public StreamsCommand() {
    super("streams");
  }

  @Override
  public void check(SuiteOptions options) throws UserError {
    fileSize =
        Checks.fileLength("--file-size", fileSize, options.quick() ? 32 * MEBI : 1024 * MEBI);
    runs = or(runs, options.quick() ? 1 : 3);
    Checks.positive("--runs", runs);
    for (String contender : contenders) {
      kinds.add(StreamsTask.Kind.named(contender));
    }
  }

  @Override
  public void measure(Session session)
      throws IOException, UserError, HitMismatch, ImplausibleResult {
    session.onBed(
        name(),
        0,
        bed -> {
          Path data = data(session, bed, fileSize, BUFFERS.size() * fileSize);
          ChildJvm jvm = children(bed, HEAP);
          session.rounds(name(), kinds, (kind, round) -> measure(session, jvm, kind, data, round));
        });
    ResidentReads.check(
        session.recorder().run(false),
        name(),
        cell -> "warm".equals(cell.conditions().get("cache")));
  }

  private void measure(Session session, ChildJvm jvm, StreamsTask.Kind kind, Path data, int round)
      throws IOException, UserError, HitMismatch {
    // Whatever has been written meanwhile, the file that is read is in the page cache.
    try (InputStream in = Files.newInputStream(data)) {
      in.transferTo(OutputStream.nullOutputStream());
    }
    Path folder = data.getParent();
    List<Integer> buffers = new ArrayList<>(BUFFERS);
    Collections.rotate(buffers, -round);
    StreamsTask task = new StreamsTask(kind, folder.toString(), fileSize, buffers, runs);
    double bytes = 3.0 * fileSize * BUFFERS.size() * runs;
    ChildJvm.Result<StreamsTask.Result> result =
        jvm.run(kind.text(), task, ChildLimits.maxSeconds(bytes / SLOW_BYTES_PER_SECOND));
    if (result == null) {
      return;
    }
    for (int buffer : BUFFERS) {
      Path file = StreamsTask.written(folder, buffer);
      try {
        if (round == 0) {
          task.verify(file, buffer);
        }
      } catch (WrongBytesException e) {
        throw new HitMismatch(kind.text() + " wrote " + file + ", which has " + e.getMessage(), e);
      }
      Files.delete(file);
    }
    if (result.value().fellBack()) {
      session.recorder().skip(name() + ": " + kind.text(), FELL_BACK);
    } else {
      record(session, kind, result.value());
    }
  }

  private void record(Session session, StreamsTask.Kind kind, StreamsTask.Result result)
      throws IOException {
    String run = "first";
    for (StreamsTask.Times times : result.runs()) {
      Map<String, String> conditions = new LinkedHashMap<>();
      conditions.put("operation", "write");
      conditions.put("buffer", Integer.toString(times.buffer()));
      conditions.put("cache", "dirty");
      conditions.put("run", run);
      record(session, kind, conditions, times.writeNanos());
      conditions.put("operation", "write+sync");
      conditions.put("cache", "synced");
      record(session, kind, conditions, times.writeNanos() + times.syncNanos());
      conditions.put("operation", "read");
      conditions.put("cache", "warm");
      record(session, kind, conditions, times.readNanos());
      run = "later";
    }
  }

  private void record(
      Session session, StreamsTask.Kind kind, Map<String, String> conditions, long nanos)
      throws IOException {
    double megabytesPerSecond = fileSize / 1e6 / (nanos / 1e9);
    Contender contender = new Contender(kind.text(), kind.reads().contender().role());
    record(session, conditions, contender, ResidentReads.THROUGHPUT, megabytesPerSecond);
  }
}
