/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.load.DataPattern;
import dev.pread.benchmarks.machine.ChildJvm;
import dev.pread.benchmarks.machine.JavaOptions;
import dev.pread.benchmarks.machine.TestBed;
import dev.pread.benchmarks.result.Cell;
import dev.pread.benchmarks.result.Contender;
import dev.pread.benchmarks.result.Metric;
import dev.pread.benchmarks.suite.Session;
import dev.pread.benchmarks.suite.SuiteCommand;
import dev.pread.benchmarks.suite.SuitePart;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** What the commands about files do alike: each is a part by itself, after the ceilings. */
abstract class FileCommand extends SuiteCommand implements SuitePart {
  static final long MEBI = 1L << 20;

  private final String name;

  FileCommand(String name) {
    this.name = name;
  }

  @Override
  public final String name() {
    return name;
  }

  @Override
  protected List<SuitePart> parts() {
    return List.of(new CeilingCommand(), this);
  }

  static <T> T or(T given, T otherwise) {
    return given == null ? otherwise : given;
  }

  /**
   * Writes a file of {@link DataPattern}.
   *
   * @param more bytes for which there has to be room besides
   */
  static Path data(Session session, TestBed bed, long bytes, long more)
      throws IOException, UserError {
    bed.folder().require(bytes + more);
    Path file = bed.folder().path().resolve("data");
    DataPattern.write(file, bytes, session.progress(), session.stop());
    return file;
  }

  /** Runs children, without options of their own. */
  static ChildJvm children(TestBed bed, long heapBytes) throws UserError {
    return new ChildJvm(bed, heapBytes, JavaOptions.parse(List.of(), List.of()));
  }

  final void record(
      Session session,
      Map<String, String> conditions,
      Contender contender,
      Metric metric,
      double... samples)
      throws IOException {
    List<Double> list = Arrays.stream(samples).boxed().toList();
    session.recorder().add(new Cell(name, conditions, contender, metric, list));
  }
}
