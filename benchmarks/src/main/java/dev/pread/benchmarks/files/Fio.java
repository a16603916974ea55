/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pread.benchmarks.machine.LimitedProcess;
import dev.pread.benchmarks.machine.TestBed;
import dev.pread.benchmarks.machine.UnavailableException;
import dev.pread.benchmarks.machine.UserError;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds the device's own limit: fio with O_DIRECT, no cache, no Java. Positions of random reads are
 * all alike whatever is asked of the directories, since without a cache it makes no difference to
 * it.
 *
 * @param command name or path of fio
 * @param bed to run in
 */
record Fio(String command, TestBed bed) {
  static final String COMMAND = "fio";

  private static final double VERSION_SECONDS = 10;

  /**
   * What is to be read.
   *
   * @param engine of fio, like {@code psync} or {@code io_uring}
   * @param sequential or at random
   * @param bytes of a read
   * @param jobs that read at the same time; those that read in a row have a part of the file each
   * @param depth reads that each has under way: 1 for {@code psync}
   */
  record Job(String engine, boolean sequential, int bytes, int jobs, int depth) {}

  /**
   * Holds what fio measured.
   *
   * @param readsPerMs of all jobs
   * @param p50 median of the nanoseconds from when a read is handed to the kernel until it is done
   * @param p99 the 99th percentile
   */
  record Measured(double readsPerMs, double p50, double p99) {}

  /** Says why fio can give no figures here; null if it can. */
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
   * Runs a job, after a quarter of the time that does not count.
   *
   * @return null if the run is being stopped
   * @throws UnavailableException if fio fails, with what it says: not every system lets it use
   *     every engine
   */
  Measured run(Path file, Job job, double seconds) throws IOException, UnavailableException {
    LimitedProcess.Ended ended = bed.run(words(file, job, seconds), 1.25 * seconds);
    return ended == null ? null : parse(ended);
  }

  List<String> words(Path file, Job job, double seconds) {
    List<String> words =
        new ArrayList<>(
            List.of(
                command,
                "--name=ceiling",
                "--filename=" + file.toString().replace(":", "\\:"),
                "--readonly",
                "--rw=" + (job.sequential() ? "read" : "randread"),
                "--ioengine=" + job.engine(),
                "--iodepth=" + job.depth(),
                "--direct=1",
                "--bs=" + job.bytes(),
                "--numjobs=" + job.jobs(),
                "--thread",
                "--group_reporting",
                "--norandommap",
                "--randrepeat=0",
                "--time_based",
                "--ramp_time=" + Math.round(seconds / 4 * 1e3) + "ms",
                "--runtime=" + Math.round(seconds * 1e3) + "ms",
                "--percentile_list=50:99",
                "--eta=never",
                "--output-format=json"));
    if (job.sequential() && job.jobs() > 1) {
      // Else all would read the same, and a cache below the file system would serve them.
      words.add("--size=" + 100 / job.jobs() + "%");
      words.add("--offset_increment=" + 100 / job.jobs() + "%");
    }
    return words;
  }

  /** Takes the figures out of fio's JSON, which it may begin with warnings. */
  static Measured parse(LimitedProcess.Ended ended) throws IOException, UnavailableException {
    String text = ended.out();
    int begin = text.indexOf('{');
    if (ended.exit() != 0) {
      String said = ended.err() + (begin < 0 ? text : text.substring(0, begin));
      throw new UnavailableException("fio failed: " + UserError.oneLine(said));
    }
    String none = "no figures in what fio says: " + text + ended.err();
    try {
      JsonNode job =
          new ObjectMapper().readTree(text.substring(Math.max(0, begin))).path("jobs").path(0);
      JsonNode percentiles = job.at("/read/clat_ns/percentile");
      double readsPerMs = job.at("/read/iops").asDouble() / 1e3;
      if (job.path("error").asInt() != 0 || readsPerMs <= 0 || !percentiles.has("99.000000")) {
        throw new IOException(none);
      }
      return new Measured(
          readsPerMs,
          percentiles.path("50.000000").asDouble(),
          percentiles.path("99.000000").asDouble());
    } catch (JsonProcessingException e) {
      throw new IOException(none, e);
    }
  }
}
