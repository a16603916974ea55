/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.grid;

import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.child.ChildLimits;
import dev.pread.benchmarks.load.DataPattern;
import dev.pread.benchmarks.load.WrongBytesException;
import dev.pread.benchmarks.machine.ByteSize;
import dev.pread.benchmarks.machine.TestBed;
import dev.pread.benchmarks.machine.UnavailableException;
import dev.pread.benchmarks.measure.HitMismatch;
import dev.pread.benchmarks.suite.ImplausibleResult;
import dev.pread.benchmarks.suite.Session;
import dev.pread.benchmarks.suite.SuiteOptions;
import dev.pread.benchmarks.suite.SuitePart;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;

/** Arranges the grid: files, regimes, turns of the contenders, and the verdict at the end. */
public final class GridPart implements SuitePart {
  /** Of its cells. */
  public static final String NAME = "grid";

  private static final long MEBI = 1L << 20;
  private static final long CODE_FILE_BYTES = 32 * MEBI;

  /** At which a file is taken to be read before anything is measured: a slow disk's rate. */
  private static final double SLOW_BYTES_PER_SECOND = 50e6;

  private final GridOptions options;
  private Plan plan;
  private long memory;

  /** With all defaults. */
  public GridPart() {
    this(new GridOptions());
  }

  GridPart(GridOptions options) {
    this.options = options;
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public void check(SuiteOptions suite) throws UserError {
    plan = options.plan(suite);
    memory = suite.memory();
  }

  @Override
  public Map<String, Object> settings() {
    Map<String, Object> settings = plan.describe();
    settings.put("heapBytes", JmhFork.HEAP);
    Map<String, Long> files = new TreeMap<>();
    plan.axes().regimes().forEach(regime -> files.put(regime.label(), regime.fileBytes(memory)));
    settings.put("fileBytes", files);
    Map<String, Long> caches = new TreeMap<>();
    for (Strategy strategy : Strategy.values()) {
      long bytes = strategy.cacheBytes(memory, JmhFork.HEAP);
      if (bytes > 0) {
        caches.put(strategy.label(), bytes);
      }
    }
    settings.put("cacheBytes", caches);
    return settings;
  }

  @Override
  public void measure(Session session)
      throws IOException, UserError, HitMismatch, ImplausibleResult {
    List<Regime> left = new ArrayList<>();
    try (TestBed bed = bed(session, left)) {
      measure(session, bed, left);
    }
    if (session.stop().requested()) {
      return;
    }
    List<String> violations = new Plausibility(memory).violations(session.recorder().run(false));
    if (!violations.isEmpty()) {
      throw new ImplausibleResult(String.join("; ", violations));
    }
  }

  /** One with a limit, or, where none can be had, without and with what needs one left out. */
  private TestBed bed(Session session, List<Regime> left) throws IOException, UserError {
    try {
      return session.bed(NAME, memory);
    } catch (UnavailableException e) {
      for (Regime regime : plan.axes().regimes()) {
        if (regime.needsLimit()) {
          left.add(regime);
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
      throw new IllegalStateException("without a limit there is nothing to be had", e);
    }
  }

  private void measure(Session session, TestBed bed, List<Regime> left)
      throws IOException, UserError, HitMismatch {
    Path codeFile = bed.folder().path().resolve("code");
    Map<Long, Path> files = writeFiles(session, bed, left, codeFile);
    if (session.stop().requested()) {
      return;
    }
    List<Strategy> refused = probe(session, codeFile);
    notes(session);
    GridRecord record = new GridRecord(session.recorder(), memory);
    List<Plan.Turn> turns = plan.turns(session.options().rounds(), left, refused);
    session.progress().start(NAME);
    int done = 0;
    for (Plan.Turn turn : turns) {
      if (session.stop().requested()) {
        return;
      }
      bed.drop(List.copyOf(files.values()));
      long bytes = turn.point().regime().fileBytes(memory);
      JmhFork jmh = new JmhFork(plan, memory, session.options().seed() + turn.round());
      GridFork fork =
          new GridFork(bed.folder().path().resolve("fork"), bed.memory(), session.stop());
      double fraction = done++ / (double) turns.size();
      session.progress().update(fraction, turn.toString());
      GridFork.Ended ended =
          fork.run(
              jmh.options(turn, files.get(bytes), codeFile, fork.log()),
              ChildLimits.maxSeconds(jmh.seconds(turn) + bytes / SLOW_BYTES_PER_SECOND),
              step -> session.progress().update(fraction, turn + ", " + step));
      if (ended == null) {
        return;
      }
      record.add(turn, ended);
    }
    session.progress().finish(turns.size() + " forks of the grid measured");
  }

  private Map<Long, Path> writeFiles(Session session, TestBed bed, List<Regime> left, Path codeFile)
      throws IOException, UserError {
    Map<Long, Path> files = new TreeMap<>();
    for (Regime regime : plan.axes().regimes()) {
      if (!left.contains(regime)) {
        long bytes = regime.fileBytes(memory);
        files.put(bytes, bed.folder().path().resolve("data-" + bytes / MEBI + "m"));
      }
    }
    long all = files.keySet().stream().mapToLong(Long::longValue).sum();
    bed.folder().require(all + CODE_FILE_BYTES);
    files.put(CODE_FILE_BYTES, codeFile);
    for (Map.Entry<Long, Path> file : files.entrySet()) {
      if (!session.stop().requested()) {
        DataPattern.write(file.getValue(), file.getKey(), session.progress(), session.stop());
      }
    }
    return files;
  }

  /** Tries what a file system or a kernel may refuse; those that it does are left out. */
  private List<Strategy> probe(Session session, Path file) throws IOException, HitMismatch {
    List<Strategy> refused = new ArrayList<>();
    int bytes = Collections.min(plan.axes().bytes());
    for (Strategy strategy : Strategy.values()) {
      boolean wanted =
          plan.contenders().values().stream().anyMatch(named -> named.contains(strategy));
      if (!wanted || !(strategy.needsDirectIo() || strategy == Strategy.MEMCPY)) {
        continue;
      }
      String why = null;
      try (Source source = strategy.open(file, bytes)) {
        new Kernel(
                source.reader(), Order.RANDOM, CODE_FILE_BYTES, bytes, new SplittableRandom(bytes))
            .run(true);
        if (source instanceof LuceneSource lucene && lucene.fellBack()) {
          why = "falls back to the page cache";
        }
      } catch (WrongBytesException e) {
        throw new HitMismatch(strategy.label() + ": " + e.getMessage(), null);
      } catch (IOException | UnavailableException | UnsupportedOperationException e) {
        why = e.toString();
      }
      if (why != null) {
        refused.add(strategy);
        String remedy =
            strategy == Strategy.MEMCPY
                ? " (run on a kernel with huge pages)"
                : " (name a folder with --work on a file system with direct I/O, like ext4 or xfs)";
        session.recorder().skip(NAME + ": " + strategy.label(), why + remedy);
      }
    }
    return refused;
  }

  private void notes(Session session) {
    session
        .recorder()
        .note(
            NAME
                + ": an operation is "
                + Kernel.READS
                + " reads; caches are the same in all regimes: "
                + ByteSize.format(Strategy.PREAD.cacheBytes(memory, JmhFork.HEAP))
                + " for pread*, "
                + ByteSize.format(Strategy.DIRECT.cacheBytes(memory, JmhFork.HEAP))
                + " for direct* (where no option or property says otherwise), of a limit of "
                + ByteSize.format(memory)
                + " with a heap of "
                + ByteSize.format(JmhFork.HEAP)
                + "; the buffer of direct-io-directory is one read long");
    if (!JmhFork.given().isEmpty()) {
      session.recorder().note(NAME + ": system properties " + JmhFork.given());
    }
  }
}
