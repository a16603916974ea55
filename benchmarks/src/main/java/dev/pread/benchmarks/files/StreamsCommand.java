/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import dev.pread.benchmarks.Checks;
import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.machine.ByteSize;
import dev.pread.benchmarks.machine.ChildJvm;
import dev.pread.benchmarks.machine.TestBed;
import dev.pread.benchmarks.report.Run;
import dev.pread.benchmarks.suite.Session;
import dev.pread.benchmarks.suite.SuiteOptions;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Every kind of {@link StreamsTask}, in a JVM of its own for each round. */
@Command(
    name = "streams",
    description =
        "Writes and reads whole files through streams, channels, mappings and Lucene's outputs"
            + " and inputs.")
public final class StreamsCommand extends FileCommand {
  private static final List<Way> ALL =
      List.of(
          Way.INPUT_STREAM,
          Way.CHANNEL_HEAP,
          Way.CHANNEL_DIRECT,
          Way.MMAP_SEGMENT,
          Way.MMAP,
          Way.NIOFS,
          Way.PREAD,
          Way.DIRECT);

  private static final List<Integer> BUFFERS = List.of(1 << 10, 8 << 10);

  /** Slower than any disk to measure: only for the time limit of a child. */
  private static final double SLOW_BYTES_PER_SECOND = 20e6;

  @Option(
      names = "--file-size",
      paramLabel = "SIZE",
      converter = ByteSize.class,
      description = "Length of the files; default: 1g, with --quick 32m")
  private Long fileSize;

  @Option(
      names = "--runs",
      paramLabel = "N",
      description =
          "Runs of each JVM, which are all kept, the first too; default: 3, with --quick 1")
  private Integer runs;

  @Option(
      names = "--contenders",
      paramLabel = "NAME",
      split = ",",
      description =
          "Who takes part, of input-stream, channel-heap, channel-direct, mmap-segment, mmap, niofs,"
              + " pread, direct; default: all")
  private List<Way> contenders = ALL;

  @Override
  public void check(SuiteOptions options) {
    fileSize = Checks.fileLength("--file-size", fileSize, (options.quick() ? 32 : 1024) * MEBI);
    runs = or(runs, options.quick() ? 1 : 3);
    Checks.positive("--runs", runs);
    if (!ALL.containsAll(contenders)) {
      throw new UserError("--contenders " + contenders + ": use some of " + ALL);
    }
  }

  @Override
  void measure(Session session, TestBed bed) throws IOException {
    bed.folder().require((1 + BUFFERS.size()) * fileSize);
    Path data = data(session, bed, StreamsTask.DATA, fileSize);
    ChildJvm jvm = children(bed, HEAP);
    session.rounds(
        name(),
        available(session, contenders, data),
        (way, round) -> {
          // Whatever has been written meanwhile, the file that is read is in the page cache.
          try (InputStream in = Files.newInputStream(data)) {
            in.transferTo(OutputStream.nullOutputStream());
          }
          List<Integer> buffers = new ArrayList<>(BUFFERS);
          Collections.rotate(buffers, -round);
          String folder = data.getParent().toString();
          double bytes = 4.0 * fileSize * BUFFERS.size() * runs;
          run(
              session,
              jvm,
              way.contender(),
              new StreamsTask(way, folder, fileSize, buffers, runs),
              bytes / SLOW_BYTES_PER_SECOND);
        });
  }

  @Override
  List<String> violations(Run run) {
    return new Plausibility(name(), run)
        .ofResidentFiles(cell -> "warm".equals(cell.conditions().get("cache")));
  }
}
