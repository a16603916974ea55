/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.streams;

import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.child.ChildTask;
import dev.pread.benchmarks.load.DataPattern;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes and reads files in one way, in a JVM that knows no other. The last file written with each
 * buffer is left for the parent to look at.
 *
 * @param kind who
 * @param folder with the file to read, and for those that are written
 * @param length of all files, a multiple of eight
 * @param buffers in the order they are measured
 * @param runs of each
 */
record StreamsTask(StreamKind kind, String folder, long length, List<Integer> buffers, int runs)
    implements ChildTask<StreamsTask.Result> {
  /** Of {@link DataPattern}. */
  static final String DATA = "data";

  /**
   * All runs.
   *
   * @param runs in the order they were made
   * @param pretends as {@link StreamWay#pretends}
   */
  record Result(List<Times> runs, String pretends) {}

  /**
   * One run.
   *
   * @param buffer in bytes
   * @param writeNanos from before the file is made until it is closed
   * @param syncNanos after that, until it is on the device
   * @param readNanos from before the other file is opened until it is closed
   */
  record Times(int buffer, long writeNanos, long syncNanos, long readNanos) {}

  /** Where it writes. */
  static Path written(Path folder, int buffer) {
    return folder.resolve("written-" + buffer);
  }

  @Override
  public String taskName() {
    return "streams";
  }

  @Override
  public Class<Result> resultType() {
    return Result.class;
  }

  @Override
  public Result run() throws IOException, UserError {
    StreamWay way = kind.way();
    Path in = Path.of(folder);
    List<Times> times = new ArrayList<>();
    for (int buffer : buffers) {
      Path file = written(in, buffer);
      for (int run = 0; run < runs; run++) {
        Files.deleteIfExists(file);
        long start = System.nanoTime();
        write(way, file, buffer);
        long written = System.nanoTime();
        way.sync(file);
        long synced = System.nanoTime();
        read(way, in.resolve(DATA), buffer);
        long read = System.nanoTime();
        times.add(new Times(buffer, written - start, synced - written, read - synced));
      }
    }
    return new Result(times, way.pretends());
  }

  void write(StreamWay way, Path file, int buffer) throws IOException {
    Blocks blocks = new Blocks(buffer);
    try (StreamWay.Sink out = way.create(file, length, buffer)) {
      for (long offset = 0; offset < length; offset += buffer) {
        int part = (int) Math.min(buffer, length - offset);
        out.write(blocks.at(offset, part), part);
      }
    }
  }

  void read(StreamWay way, Path file, int buffer) throws IOException {
    byte[] block = new byte[buffer];
    try (StreamWay.Source in = way.open(file, buffer)) {
      for (long offset = 0; offset < length; offset += buffer) {
        int part = (int) Math.min(buffer, length - offset);
        in.read(block, part);
        DataPattern.check(block, offset, part);
      }
    }
  }
}
