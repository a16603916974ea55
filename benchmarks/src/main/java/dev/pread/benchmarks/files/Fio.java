/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.machine.LimitedProcess;
import dev.pread.benchmarks.machine.TestBed;
import dev.pread.benchmarks.machine.UnavailableException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * The device's own limit: fio with O_DIRECT, no cache, no Java. Positions of random reads are all
 * alike whatever is asked of the directories, since without a cache it makes no difference to it.
 * One thread.
 */
final class Fio {
  /** The command, as most systems have it. */
  static final String COMMAND = "fio";

  private static final double VERSION_SECONDS = 10;

  private final String command;
  private final TestBed bed;

  /**
   * What it measured.
   *
   * @param readsPerMs of all jobs
   * @param p50 median of the nanoseconds from when a read is handed to the kernel until it is done
   * @param p99 the 99th percentile
   */
  record Measured(double readsPerMs, double p50, double p99) {}

  /**
   * @param command name or path of fio
   * @param bed to run in
   */
  Fio(String command, TestBed bed) {
    this.command = command;
    this.bed = bed;
  }

  /** Why there can be no figures of it here; null if there can. */
  String missing() {
    try {
      LimitedProcess.Ended ended =
          LimitedProcess.run(List.of(command, "--version"), null, VERSION_SECONDS, bed.stop());
      return ended == null || ended.exit() == 0
          ? null
          : command + " does not start: " + UserError.oneLine(ended.err());
    } catch (IOException e) {
      return command + " is not installed";
    }
  }

  /**
   * Runs a job.
   *
   * @return null if the run is being stopped
   * @throws UnavailableException if fio fails, with what it says: not every system lets it use
   *     every engine
   */
  Measured run(Path file, FioJob job) throws IOException, UnavailableException {
    double seconds = job.warmupSeconds() + job.seconds();
    LimitedProcess.Ended ended = bed.run(job.command(command, file), seconds);
    return ended == null ? null : parse(ended);
  }

  /** Takes the figures out of fio's JSON, which it may begin with warnings. */
  static Measured parse(LimitedProcess.Ended ended) throws IOException, UnavailableException {
    String text = ended.out();
    int begin = text.indexOf('{');
    if (ended.exit() != 0) {
      String said = ended.err() + (begin < 0 ? text : text.substring(0, begin));
      throw new UnavailableException("fio failed: " + UserError.oneLine(said));
    }
    JsonNode job;
    try {
      job = new ObjectMapper().readTree(text.substring(Math.max(0, begin))).path("jobs").path(0);
    } catch (JsonProcessingException e) {
      throw new IOException("no figures in what fio says: " + text + ended.err(), e);
    }
    JsonNode read = job.path("read");
    JsonNode percentiles = read.path("clat_ns").path("percentile");
    double readsPerMs = read.path("iops").asDouble() / 1e3;
    if (job.path("error").asInt() != 0 || readsPerMs <= 0 || !percentiles.has("99.000000")) {
      throw new IOException("no figures in what fio says: " + text + ended.err());
    }
    return new Measured(
        readsPerMs,
        percentiles.path("50.000000").asDouble(),
        percentiles.path("99.000000").asDouble());
  }
}
