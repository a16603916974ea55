/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pread.benchmarks.machine.UserError;
import dev.pread.benchmarks.report.Contender;
import dev.pread.benchmarks.report.Figures;
import dev.pread.benchmarks.report.Metric;
import dev.pread.benchmarks.suite.SuiteOptions;
import dev.pread.harness.LimitedProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Measures the device under fio, and copies in memory. Positions of random reads are all alike
 * whatever is asked of the directories, since without a cache it makes no difference to the device.
 */
@Command(name = "ceiling")
public final class CeilingCommand extends FileCommand {
  private static final String DEVICE = "device";
  private static final String MEMCPY = "memcpy";
  private static final String IO_URING = "io_uring";
  private static final String PSYNC = "psync";
  private static final String COPY = "copy";

  /** What fio is told: no cache, and nothing that is not to be measured. */
  private static final String OPTIONS =
      "--name=ceiling --readonly --direct=1 --thread --group_reporting --norandommap"
          + " --randrepeat=0 --time_based --percentile_list=50:99 --eta=never --output-format=json";

  /** Memory that copies are taken out of, larger than the caches of most processors. */
  private static final long COPIED_BYTES = 256 * MEBI;

  @Option(names = "--fio", paramLabel = "COMMAND")
  private String command = "fio";

  @Option(names = "--file-size", paramLabel = "SIZE")
  private Long fileSize;

  private double seconds;

  /**
   * Says what is read, and how.
   *
   * @param depth reads under way: of as many threads, but for io_uring
   */
  private record Conditions(String of, Order order, int bytes, String engine, int depth) {}

  @Override
  public void check(SuiteOptions options) {
    fileSize = fileLength("--file-size", fileSize, (options.quick() ? 128 : 1024) * MEBI);
    seconds = options.quick() ? 0.1 : 2.0;
  }

  @Override
  protected void measureOnBed() throws IOException {
    Path file = data("data", fileSize, COPIED_BYTES);
    Path copied = data("copied", COPIED_BYTES, 0);
    session.rounds(
        name(),
        jobs(),
        (job, round) -> {
          if (job.engine().equals(COPY)) {
            copy(job, copied);
          } else {
            device(job, file);
          }
        });
  }

  private static List<Conditions> jobs() {
    List<Conditions> jobs = new ArrayList<>();
    for (int bytes : new int[] {4096, 16384}) {
      for (int threads : new int[] {1, 4, 16}) {
        jobs.add(new Conditions(DEVICE, Order.RANDOM, bytes, PSYNC, threads));
        jobs.add(new Conditions(MEMCPY, Order.RANDOM, bytes, COPY, threads));
      }
      jobs.add(new Conditions(DEVICE, Order.RANDOM, bytes, IO_URING, 16));
      jobs.add(new Conditions(DEVICE, Order.RANDOM, bytes, IO_URING, 64));
    }
    jobs.add(new Conditions(DEVICE, Order.SEQUENTIAL, (int) MEBI, PSYNC, 1));
    jobs.add(new Conditions(DEVICE, Order.SEQUENTIAL, (int) MEBI, PSYNC, 4));
    return jobs;
  }

  /** Not every system has fio, or lets it use every engine: then it fails, and says why. */
  private void device(Conditions job, Path file) throws IOException {
    LimitedProcess.Ended ended;
    try {
      ended = bed.run(words(job, file), 1.25 * seconds);
    } catch (IOException e) {
      if (!e.getMessage().startsWith("Cannot run program")) {
        throw e;
      }
      session.skip(name() + ": device", e.getMessage() + ": install fio, or name it with --fio");
      return;
    }
    if (ended.exit() != 0) {
      String all = UserError.oneLine(ended.err() + ended.out().split("\\{", 2)[0]);
      String said = all.replaceAll("pid=\\d+, ", ""); // So that it is listed once.
      session.skip(name() + ": " + job.engine(), "fio failed: " + said);
    } else {
      session.recorder().add(name(), Contender.ceiling("fio"), figures(job, ended));
    }
  }

  /** Returns the words that measure for so long, after a quarter of it that does not count. */
  private List<String> words(Conditions job, Path file) {
    boolean queues = job.engine().equals(IO_URING);
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

  /** Takes the figures out of fio's JSON, which it may begin with warnings. */
  private static Figures figures(Conditions job, LimitedProcess.Ended ended) throws IOException {
    String text = ended.out();
    JsonNode said =
        new ObjectMapper().readTree(text.substring(Math.max(0, text.indexOf('{')))).at("/jobs/0");
    JsonNode percentiles = said.at("/read/clat_ns/percentile");
    double readsPerMs = said.at("/read/iops").asDouble() / 1e3;
    if (said.path("error").asInt() != 0 || readsPerMs <= 0 || !percentiles.has("99.000000")) {
      throw new IOException("no figures in what fio says: " + text + ended.err());
    }
    Figures figures = Figures.under(job);
    figures.add(READS, readsPerMs);
    figures.add(Metric.listedCost("p50", "us"), percentiles.path("50.000000").asDouble() / 1e3);
    figures.add(Metric.listedCost("p99", "us"), percentiles.path("99.000000").asDouble() / 1e3);
    return figures;
  }

  private void copy(Conditions job, Path file) throws IOException {
    Map<String, Object> params =
        Map.of("way", Way.MEMCPY, "bytes", job.bytes(), "file", file, "checkSeconds", seconds / 4);
    JmhTask.Times times = new JmhTask.Times(1, 1, seconds / 2);
    List<String> options = List.of("-XX:MaxDirectMemorySize=" + 2 * COPIED_BYTES);
    run(
        Way.MEMCPY.contender(),
        JmhTask.of(ReadBenchmark.class, params, job.depth(), times, options),
        2 * seconds,
        result -> result.value().figures(job, READS, Kernel.READS));
  }
}
