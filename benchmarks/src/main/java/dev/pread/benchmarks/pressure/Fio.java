/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.pressure;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.child.ChildLimits;
import dev.pread.benchmarks.index.ReadKind;
import dev.pread.benchmarks.load.Latencies;
import dev.pread.benchmarks.machine.LimitedProcess;
import dev.pread.benchmarks.machine.TestBed;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * The device's own limit for reads of this kind: fio with {@code pread(2)} and O_DIRECT, as many
 * threads, no cache, no Java. Positions are all alike whatever is asked of the directories, since
 * without a cache it makes no difference to it.
 */
final class Fio {
  private final TestBed bed;

  Fio(TestBed bed) {
    this.bed = bed;
  }

  /** Why there can be no figures of it here; null if there can. */
  String missing() throws IOException {
    try {
      LimitedProcess.Ended ended =
          LimitedProcess.run(List.of("fio", "--version"), null, 10, bed.stop());
      return ended == null || ended.exit() == 0 ? null : "it does not start: " + ended.err();
    } catch (IOException e) {
      return "not installed";
    }
  }

  /**
   * Measures one slot.
   *
   * @return null if the run is being stopped
   * @throws UserError if fio fails; with what it says
   */
  RandomSlot run(int round, Path file, int threads, RandomTask.Load load)
      throws IOException, UserError {
    double seconds = load.warmupSeconds() + load.seconds();
    LimitedProcess.Ended ended =
        bed.run(command(file, threads, load), ChildLimits.maxSeconds(seconds));
    if (ended == null) {
      return null;
    }
    if (ended.exit() != 0) {
      throw new UserError(
          "fio fails on " + file + ": leave it out of --directories (" + ended.err() + ")");
    }
    return parse(ended, round, threads, load.bytes());
  }

  static List<String> command(Path file, int threads, RandomTask.Load load) {
    return List.of(
        "fio",
        "--name=ceiling",
        "--filename=" + file.toString().replace(":", "\\:"),
        "--readonly",
        "--rw=randread",
        "--ioengine=psync",
        "--direct=1",
        "--bs=" + load.bytes(),
        "--numjobs=" + threads,
        "--thread",
        "--group_reporting",
        "--norandommap",
        "--randrepeat=0",
        "--time_based",
        "--ramp_time=" + Math.round(load.warmupSeconds() * 1e3) + "ms",
        "--runtime=" + Math.max(1, Math.round(load.seconds() * 1e3)) + "ms",
        "--percentile_list=50:99:99.9",
        "--eta=never",
        "--output-format=json");
  }

  /** Takes the figures out of fio's JSON, which it may begin with warnings. */
  static RandomSlot parse(LimitedProcess.Ended ended, int round, int threads, int bytes)
      throws IOException {
    String text = ended.out();
    JsonNode read =
        new ObjectMapper()
            .readTree(text.substring(Math.max(0, text.indexOf('{'))))
            .path("jobs")
            .path(0)
            .path("read");
    if (!read.has("iops")) {
      throw new IOException("no figures in what fio says: " + text + ended.err());
    }
    JsonNode latency = read.path("clat_ns");
    JsonNode percentiles = latency.path("percentile");
    return new RandomSlot(
        round,
        ReadKind.FIO,
        bytes,
        threads,
        read.path("iops").asDouble() / 1e3,
        new Latencies(
            read.path("total_ios").asLong(),
            percentiles.path("50.000000").asDouble(),
            percentiles.path("99.000000").asDouble(),
            percentiles.path("99.900000").asDouble(),
            latency.path("max").asDouble()),
        ended.usage().majorFaults(),
        ended.usage().peakBytes());
  }
}
