/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What fio is to read with O_DIRECT, and for how long.
 *
 * @param reads how
 * @param jobs that read at the same time; those that read in a row have a part of the file each
 * @param depth reads that each has under way: 1 for {@code psync}
 * @param warmupSeconds not measured
 * @param seconds measured
 */
record FioJob(Reads reads, int jobs, int depth, double warmupSeconds, double seconds) {

  /**
   * A kind of reads.
   *
   * @param engine of fio, like {@code psync} or {@code io_uring}
   * @param sequential or at random
   * @param bytes of a read
   */
  record Reads(String engine, boolean sequential, int bytes) {}

  /** As a command line. */
  List<String> command(String fio, Path file) {
    List<String> words = new ArrayList<>();
    words.add(fio);
    words.add("--name=ceiling");
    words.add("--filename=" + file.toString().replace(":", "\\:"));
    words.add("--readonly");
    words.add("--rw=" + (reads.sequential() ? "read" : "randread"));
    words.add("--ioengine=" + reads.engine());
    words.add("--iodepth=" + depth);
    words.add("--direct=1");
    words.add("--bs=" + reads.bytes());
    words.add("--numjobs=" + jobs);
    if (reads.sequential() && jobs > 1) {
      // Else all would read the same, and a cache below the file system would serve them.
      words.add("--size=" + 100 / jobs + "%");
      words.add("--offset_increment=" + 100 / jobs + "%");
    }
    words.addAll(
        List.of(
            "--thread",
            "--group_reporting",
            "--norandommap",
            "--randrepeat=0",
            "--time_based",
            "--ramp_time=" + Math.round(warmupSeconds * 1e3) + "ms",
            "--runtime=" + Math.max(1, Math.round(seconds * 1e3)) + "ms",
            "--percentile_list=50:99",
            "--eta=never",
            "--output-format=json"));
    return words;
  }
}
