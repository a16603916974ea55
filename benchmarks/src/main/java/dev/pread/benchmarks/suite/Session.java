/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.suite;

import dev.pread.benchmarks.machine.Progress;
import dev.pread.benchmarks.machine.StopSignal;
import dev.pread.benchmarks.machine.TestBed;
import dev.pread.benchmarks.machine.UnavailableException;
import dev.pread.benchmarks.report.Recorder;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.lucene.util.IOConsumer;

/**
 * Holds what a part needs while it measures. It belongs to one thread, except for the recorder, the
 * signal and the progress, which are thread-safe.
 *
 * @param main the program whose command this is, which processes that measure run, too
 * @param stop has to be asked often
 */
public record Session(
    Class<?> main, SuiteOptions options, Recorder recorder, StopSignal stop, Progress progress) {

  /** Measures a contender when it is its turn, in rounds that count from 0. */
  public interface Turn<T> {
    void take(T contender, int round) throws IOException;
  }

  /**
   * Measures in a folder for the files of a part, with the device's read-ahead pinned and processes
   * within a memory limit in bytes, or 0 for none. Where no limit can be had, the part is recorded
   * as skipped.
   */
  public void onBed(String part, long memory, IOConsumer<TestBed> work) throws IOException {
    try (TestBed bed = TestBed.open(options.setup(part, memory), stop, recorder::note)) {
      bed.describe().forEach(recorder::storage);
      recorder.write(false); // Whoever has to put back the read-ahead finds there what it was.
      work.accept(bed);
    } catch (UnavailableException e) {
      skip(part, e.getMessage());
    }
  }

  public void note(String text) {
    recorder.note(text);
  }

  public void skip(String what, String why) {
    recorder.skip(what, why);
  }

  /** Lets contenders take turns, in an order that rotates. */
  public <T> void rounds(String part, List<T> contenders, Turn<T> turn) throws IOException {
    rounds(part, options.rounds(), contenders, turn);
  }

  /** Does the same for another number of rounds than was asked for. */
  public <T> void rounds(String part, int rounds, List<T> contenders, Turn<T> turn)
      throws IOException {
    progress.start(part);
    double all = rounds * contenders.size();
    int done = 0;
    for (int round = 0; round < rounds; round++) {
      for (T contender : rotated(contenders, round)) {
        progress.update(done++ / all, contender.toString());
        turn.take(contender, round);
      }
    }
  }

  /** Returns the order in which contenders take their turns of a number. */
  public static <T> List<T> rotated(List<T> contenders, int turn) {
    List<T> order = new ArrayList<>(contenders);
    Collections.rotate(order, -turn);
    return order;
  }
}
