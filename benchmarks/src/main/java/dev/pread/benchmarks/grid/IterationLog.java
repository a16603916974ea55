/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.grid;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pread.benchmarks.load.ColdCurve;
import dev.pread.benchmarks.machine.ProcessFigures;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * What JMH does not count: page faults, and when in an iteration the reads were. A line of JSON for
 * each iteration, in a file that the parent reads at the end. Iterations one after another,
 * counters of one thread each.
 */
final class IterationLog {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Path file;
  private final List<Counter> counters = new ArrayList<>();
  private int intervals;
  private long started;
  private long faultsBefore;

  /** With lines appended to a file. */
  IterationLog(Path file) {
    this.file = file;
  }

  /**
   * An iteration.
   *
   * @param measured or only to warm up
   * @param operations of all threads
   * @param majorFaults of the process; -1 if unknown
   * @param reads of all threads in each tenth of a second; empty where nobody asked
   */
  record Iteration(boolean measured, long operations, long majorFaults, List<Long> reads) {}

  /** Counts one thread's operations. */
  static final class Counter {
    /** Wide apart in memory, whoever is their neighbour. */
    private static final int MIDDLE = 16;

    private final long[] operations = new long[2 * MIDDLE];
    private final long[] reads;
    private final long start;

    private Counter(long start, int intervals) {
      this.start = start;
      this.reads = new long[intervals];
    }

    /** One has ended. */
    void count() {
      operations[MIDDLE]++;
      if (reads.length > 0) {
        long interval = (System.nanoTime() - start) / ColdCurve.INTERVAL_NANOS;
        if (interval < reads.length) {
          reads[(int) interval] += Kernel.READS;
        }
      }
    }
  }

  /**
   * An iteration begins.
   *
   * @param intervals in which reads are counted; 0 for none
   */
  synchronized void begin(int intervals) {
    this.intervals = intervals;
    counters.clear();
    faultsBefore = ProcessFigures.majorFaults();
    started = System.nanoTime();
  }

  /** For a thread of this iteration. */
  synchronized Counter counter() {
    Counter counter = new Counter(started, intervals);
    counters.add(counter);
    return counter;
  }

  /** All threads have ended. */
  synchronized void end(boolean measured) throws IOException {
    long faults = ProcessFigures.majorFaults();
    long operations = 0;
    long[] reads = new long[intervals];
    for (Counter counter : counters) {
      operations += counter.operations[Counter.MIDDLE];
      for (int i = 0; i < intervals; i++) {
        reads[i] += counter.reads[i];
      }
    }
    List<Long> list = new ArrayList<>();
    for (long count : reads) {
      list.add(count);
    }
    Iteration iteration =
        new Iteration(measured, operations, faults < 0 ? faults : faults - faultsBefore, list);
    Files.writeString(
        file,
        JSON.writeValueAsString(iteration) + "\n",
        StandardOpenOption.CREATE,
        StandardOpenOption.APPEND);
  }

  /**
   * The measured iterations in a file.
   *
   * @throws IOException if it is not there, or has something else in it
   */
  static List<Iteration> measured(Path file) throws IOException {
    List<Iteration> iterations = new ArrayList<>();
    for (String line : Files.readAllLines(file)) {
      Iteration iteration;
      try {
        iteration = JSON.readValue(line, Iteration.class);
      } catch (JsonProcessingException e) {
        throw new IOException(file + " has a line that is no iteration: " + line, e);
      }
      if (iteration == null || iteration.reads() == null) {
        throw new IOException(file + " has a line that is no iteration: " + line);
      }
      if (iteration.measured()) {
        iterations.add(iteration);
      }
    }
    return iterations;
  }
}
