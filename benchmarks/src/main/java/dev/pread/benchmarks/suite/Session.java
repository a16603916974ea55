/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.suite;

import dev.pread.benchmarks.StopSignal;
import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.machine.TestBed;
import dev.pread.benchmarks.machine.UnavailableException;
import dev.pread.benchmarks.report.Progress;
import dev.pread.benchmarks.result.Recorder;
import java.io.IOException;

/**
 * What a part needs while it measures. One thread, except for the recorder, the signal and the
 * progress, which are thread-safe.
 */
public final class Session {
  private final SuiteOptions options;
  private final Recorder recorder;
  private final StopSignal stop;
  private final Progress progress;

  Session(SuiteOptions options, Recorder recorder, StopSignal stop, Progress progress) {
    this.options = options;
    this.recorder = recorder;
    this.stop = stop;
    this.progress = progress;
  }

  /** The options of the run. */
  public SuiteOptions options() {
    return options;
  }

  /** Takes the figures. */
  public Recorder recorder() {
    return recorder;
  }

  /** Ask it often. */
  public StopSignal stop() {
    return stop;
  }

  /** Shows how far the run has come. */
  public Progress progress() {
    return progress;
  }

  /**
   * A folder for files with the device's read-ahead pinned, and processes within a memory limit;
   * close it to put everything back.
   *
   * @param part whose files they are; each has a folder of its own
   * @param memory limit of each process that it runs, in bytes; 0 for none
   * @throws UnavailableException if there is to be a limit and none can be had: record what is left
   *     out as skipped then
   */
  public TestBed bed(String part, long memory) throws UserError, UnavailableException, IOException {
    TestBed bed = TestBed.open(options.bed().setup(part, memory), stop);
    bed.describe().forEach(recorder::storage);
    bed.notesTo(recorder::note);
    return bed;
  }
}
