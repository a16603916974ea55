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
 * by round. It is thread-safe.
 */
public final class Recorder {
  private static final long WRITE_INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final Run.About about;
  private final Path file;
  private final Map<Object, Cell> cells = new LinkedHashMap<>();
  private final Set<String> notes = new LinkedHashSet<>();
  private final Set<Run.Skipped> skipped = new LinkedHashSet<>();
  private long nextWrite = System.nanoTime();

  /** Keeps them in a file, or null; the storage in {@code about} has to be mutable. */
  public Recorder(Run.About about, Path file) {
    this.about = about;
    this.file = file;
  }

  /** Adds figures. The samples of cells that are there already are extended by theirs. */
  public synchronized void add(String benchmark, Contender contender, Figures figures)
      throws IOException {
    Map<String, String> conditions = new LinkedHashMap<>(figures.conditions());
    for (Figures.Sample sample : figures.samples()) {
      List<Object> key = List.of(benchmark, conditions, contender, sample.metric());
      List<Double> samples = new ArrayList<>();
      if (cells.containsKey(key)) {
        samples.addAll(cells.get(key).samples());
      }
      samples.add(sample.value());
      cells.put(key, new Cell(benchmark, conditions, contender, sample.metric(), samples));
    }
    if (System.nanoTime() - nextWrite >= 0) {
      write(false);
    }
  }

  /** Adds what a reader has to know; what was said before is not said twice. */
  public synchronized void note(String text) {
    notes.add(text);
  }

  /** Adds what was left out, and what would help. */
  public synchronized void skip(String what, String why) {
    skipped.add(new Run.Skipped(what, why));
  }

  /** Adds a fact about the device, its read-ahead or the memory limit. */
  public synchronized void storage(String name, Object value) {
    about.storage().put(name, value);
  }

  public synchronized Run run(boolean complete) {
    return new Run(
        Run.FORMAT,
        about,
        complete,
        List.copyOf(notes),
        List.copyOf(skipped),
        List.copyOf(cells.values()));
  }

  public synchronized void write(boolean complete) throws IOException {
    if (file != null) {
      RunFile.write(file, run(complete));
      nextWrite = System.nanoTime() + WRITE_INTERVAL_NANOS;
    }
  }
}
