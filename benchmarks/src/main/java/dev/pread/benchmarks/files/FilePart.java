/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.child.ChildJvm;
import dev.pread.benchmarks.child.JavaOptions;
import dev.pread.benchmarks.load.DataPattern;
import dev.pread.benchmarks.machine.TestBed;
import dev.pread.benchmarks.machine.UnavailableException;
import dev.pread.benchmarks.measure.HitMismatch;
import dev.pread.benchmarks.result.Cell;
import dev.pread.benchmarks.result.Contender;
import dev.pread.benchmarks.result.Metric;
import dev.pread.benchmarks.suite.Session;
import dev.pread.benchmarks.suite.SuitePart;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/** What the parts about files do alike: a file, rounds of turns, and figures. */
abstract class FilePart implements SuitePart {
  static final long MEBI = 1L << 20;

  private final String name;

  FilePart(String name) {
    this.name = name;
  }

  @Override
  public final String name() {
    return name;
  }

  /** Something to be measured in each round; false if the run is being stopped. */
  interface Measure<T> {
    boolean measure(int round, T turn) throws IOException, UserError, HitMismatch;
  }

  /** A test bed without a memory limit. */
  final TestBed bed(Session session) throws IOException, UserError {
    try {
      return session.bed(name, 0);
    } catch (UnavailableException e) {
      throw new IllegalStateException("no memory limit was asked for", e);
    }
  }

  /**
   * Writes a file of {@link DataPattern}.
   *
   * @param more bytes for which there has to be room besides
   */
  static Path data(Session session, TestBed bed, long bytes, long more)
      throws IOException, UserError {
    bed.folder().require(bytes + more);
    Path file = bed.folder().path().resolve("data");
    DataPattern.write(file, bytes, session.progress(), session.stop());
    return file;
  }

  /** Runs children, without options of their own. */
  static ChildJvm children(TestBed bed, long heapBytes) throws UserError {
    return new ChildJvm(bed, heapBytes, JavaOptions.parse(List.of(), List.of()));
  }

  /** Measures all turns in each round, each time in another order, until the run is stopped. */
  final <T> void rounds(Session session, List<T> turns, Measure<T> measure)
      throws IOException, UserError, HitMismatch {
    int rounds = session.options().rounds();
    session.progress().start(name);
    int done = 0;
    for (int round = 0; round < rounds; round++) {
      List<T> order = new ArrayList<>(turns);
      Collections.rotate(order, -round);
      for (T turn : order) {
        if (session.stop().requested()) {
          return;
        }
        session.progress().update(done++ / (double) (rounds * turns.size()), turn.toString());
        if (!measure.measure(round, turn)) {
          return;
        }
      }
    }
  }

  final void record(
      Session session,
      Map<String, String> conditions,
      Contender contender,
      Metric metric,
      double... samples)
      throws IOException {
    List<Double> list = Arrays.stream(samples).boxed().toList();
    session.recorder().add(new Cell(name, conditions, contender, metric, list));
  }
}
