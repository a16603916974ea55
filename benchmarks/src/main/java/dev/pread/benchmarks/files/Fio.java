/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pread.benchmarks.machine.LimitedProcess;
import dev.pread.benchmarks.machine.UserError;
import dev.pread.benchmarks.report.Ceilings;
import dev.pread.benchmarks.report.Figures;
import dev.pread.benchmarks.report.Metric;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds the device's own limit: fio with O_DIRECT, no cache, no Java. Positions of random reads are
 * all alike whatever is asked of the directories, since without a cache it makes no difference to
 * it.
 */
final class Fio {
  private static final String OPTIONS =
      "--name=ceiling --readonly --direct=1 --thread --group_reporting --norandommap"
          + " --randrepeat=0 --time_based --percentile_list=50:99 --eta=never --output-format=json";

  private Fio() {}

  /** Returns the words that measure for so long, after a quarter of it that does not count. */
  static List<String> words(
      String command, Path file, CeilingCommand.Conditions job, double seconds) {
    boolean queues = job.engine().equals(CeilingCommand.IO_URING);
    int jobs = queues ? 1 : job.depth();
    List<String> words = new ArrayList<>(List.of(command));
    words.addAll(List.of(OPTIONS.split(" ")));
    words.add("--filename=" + file.toString().replace(":", "\\:"));
    words.add("--rw=" + (job.order() == Order.SEQUENTIAL ? "read" : "randread"));
    words.add("--ioengine=" + job.engine());
    words.add("--iodepth=" + (queues ? job.depth() : 1));
    words.add("--bs=" + job.bytes());
    words.add("--numjobs=" + jobs);
    words.add("--ramp_time=" + Math.round(seconds / 4 * 1e3) + "ms");
    words.add("--runtime=" + Math.round(seconds * 1e3) + "ms");
    if (job.order() == Order.SEQUENTIAL) {
      // Else all would read the same, and a cache below the file system would serve them.
      words.add("--size=" + 100 / jobs + "%");
      words.add("--offset_increment=" + 100 / jobs + "%");
    }
    return words;
  }

  /**
   * Takes the figures out of fio's JSON, which it may begin with warnings.
   *
   * @throws IOException if there are none, with what fio says: not every system lets it use every
   *     engine
   */
  static Figures figures(CeilingCommand.Conditions job, LimitedProcess.Ended ended)
      throws IOException {
    String text = ended.out();
    if (ended.exit() != 0) {
      throw new IOException(
          "fio failed: " + UserError.oneLine(ended.err() + text.split("\\{", 2)[0]));
    }
    JsonNode said =
        new ObjectMapper().readTree(text.substring(Math.max(0, text.indexOf('{')))).at("/jobs/0");
    JsonNode percentiles = said.at("/read/clat_ns/percentile");
    double readsPerMs = said.at("/read/iops").asDouble() / 1e3;
    if (said.path("error").asInt() != 0 || readsPerMs <= 0 || !percentiles.has("99.000000")) {
      throw new IOException("no figures in what fio says: " + text + ended.err());
    }
    Figures figures = Figures.under(job);
    figures.add(Ceilings.THROUGHPUT, readsPerMs);
    figures.add(Metric.listedCost("p50", "us"), percentiles.path("50.000000").asDouble() / 1e3);
    figures.add(Metric.listedCost("p99", "us"), percentiles.path("99.000000").asDouble() / 1e3);
    return figures;
  }
}
