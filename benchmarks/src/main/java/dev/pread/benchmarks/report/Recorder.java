/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.report;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Collects what is measured, and keeps it in a file while the run goes on, so that a run that is
 * interrupted in any way leaves what it has. Samples of the same cell may come one at a time, round
 * by round. Thread-safe.
 */
public final class Recorder {
  private static final long WRITE_INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final Run.About about;
  private final Path file;
  private final Map<String, Object> storage = new LinkedHashMap<>();
  private final Map<Object, Cell> cells = new LinkedHashMap<>();
  private final Map<Object, Curve> curves = new LinkedHashMap<>();
  private final Set<String> notes = new LinkedHashSet<>();
  private final Set<Run.Skipped> skipped = new LinkedHashSet<>();
  private long nextWrite = System.nanoTime();

  /**
   * @param file to keep it in, or null
   */
  public Recorder(Run.About about, Path file) {
    this.about = about;
    this.file = file;
    storage.putAll(about.storage());
  }

  /**
   * Adds figures. The samples of cells that are there already are extended by theirs; of curves the
   * first one stays, since several would cover each other.
   */
  public synchronized void add(String benchmark, Contender contender, Figures figures)
      throws IOException {
    Map<String, String> conditions = figures.conditions();
    for (Figures.Sample sample : figures.samples()) {
      List<Double> one = List.of(sample.value());
      Cell cell = new Cell(benchmark, conditions, contender, sample.metric(), one);
      cells.merge(cell.key(), cell, Recorder::joined);
    }
    for (Figures.Line line : figures.lines()) {
      Curve curve = new Curve(benchmark, conditions, contender, line.axes(), line.points());
      curves.putIfAbsent(List.of(benchmark, conditions, contender, line.axes()), curve);
    }
    if (file != null && System.nanoTime() - nextWrite >= 0) {
      RunFile.write(file, run(false));
      nextWrite = System.nanoTime() + WRITE_INTERVAL_NANOS;
    }
  }

  private static Cell joined(Cell before, Cell more) {
    List<Double> samples = new ArrayList<>(before.samples());
    samples.addAll(more.samples());
    return new Cell(
        before.benchmark(), before.conditions(), before.contender(), before.metric(), samples);
  }

  /** Adds what a reader has to know; what was said before is not said twice. */
  public synchronized void note(String text) {
    notes.add(text);
  }

  /** Adds what was left out. */
  public synchronized void skip(String what, String why) {
    skipped.add(new Run.Skipped(what, why));
  }

  /** Adds a fact about the device, its read-ahead or the memory limit. */
  public synchronized void storage(String name, Object value) {
    storage.put(name, value);
  }

  public synchronized Run run(boolean complete) {
    return new Run(
        Run.FORMAT,
        new Run.About(
            about.started(),
            about.command(),
            about.version(),
            about.machine(),
            about.jvm(),
            new LinkedHashMap<>(storage),
            about.settings()),
        complete,
        List.copyOf(notes),
        List.copyOf(skipped),
        List.copyOf(cells.values()),
        List.copyOf(curves.values()));
  }

  /** Writes the file, if there is to be one. */
  public synchronized void finish(boolean complete) throws IOException {
    if (file != null) {
      RunFile.write(file, run(complete));
    }
  }
}
