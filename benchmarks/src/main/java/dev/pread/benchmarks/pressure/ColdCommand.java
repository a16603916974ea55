/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.pressure;

import dev.pread.benchmarks.Checks;
import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.child.ChildJvm;
import dev.pread.benchmarks.child.ChildLimits;
import dev.pread.benchmarks.index.ReadKind;
import dev.pread.benchmarks.load.DataPattern;
import dev.pread.benchmarks.machine.ByteSize;
import dev.pread.benchmarks.machine.TestBed;
import dev.pread.benchmarks.measure.HitMismatch;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code pressure cold}: how soon a directory is warm. */
@Command(
    name = "cold",
    description =
        "Empties the page cache and reads random blocks of a file that fits: throughput by the"
            + " tenth of a second, and the time until 90 %% of the warm rate. The code is compiled"
            + " before, on another file.")
final class ColdCommand extends PressurePart {
  private static final String FILE = "data";
  private static final String WARM_FILE = "warm";

  @Option(
      names = "--file-size",
      paramLabel = "SIZE",
      converter = ByteSize.class,
      defaultValue = "1g",
      description = "Length of the file; default: ${DEFAULT-VALUE}")
  private long fileSize;

  @Option(
      names = "--bytes",
      paramLabel = "N",
      defaultValue = "4096",
      description = "Length of a read, a multiple of 512; default: ${DEFAULT-VALUE}")
  private int bytes;

  @Option(
      names = "--threads",
      paramLabel = "N",
      defaultValue = "4",
      description = "Threads that read at the same time; default: ${DEFAULT-VALUE}")
  private int threads;

  @Option(
      names = "--warmup",
      paramLabel = "S",
      defaultValue = "5",
      description = "Seconds to compile the code in, on another file; default: ${DEFAULT-VALUE}")
  private double warmup;

  @Option(
      names = "--warmup-size",
      paramLabel = "SIZE",
      converter = ByteSize.class,
      defaultValue = "32m",
      description =
          "Length of that file: the code alone is warm if it is short; if it is as long as the other,"
              + " the process has had the memory of its caches before, too; default: ${DEFAULT-VALUE}")
  private long warmupSize;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      defaultValue = "60",
      description = "Seconds of each run; its last fifth has to be warm; default: ${DEFAULT-VALUE}")
  private double seconds;

  @Option(names = "--every", description = "Print every tenth of a second, not only some")
  private boolean every;

  /** Made by picocli. */
  ColdCommand() {}

  @Override
  void check() throws UserError {
    options().defaults(List.of("mmap", "niofs", "pread"), 0, 64 * MEBI);
    directories();
    if (bytes < 512 || bytes > MEBI || bytes % 512 != 0) {
      throw new UserError(
          "--bytes " + bytes + " is no length of a read: use multiples of 512 up to 1048576");
    }
    Checks.positive("--threads", threads);
    Checks.notNegative("--warmup", warmup);
    Checks.positive("--seconds", seconds);
    if (fileSize < 2 * MEBI) {
      throw new UserError("--file-size " + fileSize + " is too small: name at least 2m");
    }
    fileSize = fileSize / MEBI * MEBI;
    if (warmupSize < 2 * MEBI) {
      throw new UserError("--warmup-size " + warmupSize + " is too small: name at least 2m");
    }
    warmupSize = Math.min(warmupSize / MEBI * MEBI, fileSize);
    if (options().memory() > 0 && fileSize > options().memory() - options().heap()) {
      throw new UserError(
          "--file-size "
              + ByteSize.format(fileSize)
              + " does not fit --memory besides the heap, so that it never becomes warm: use"
              + " pressure random, or name less");
    }
  }

  @Override
  PartReport newReport() {
    Map<String, Object> settings = new LinkedHashMap<>();
    settings.put("fileBytes", fileSize);
    settings.put("bytes", bytes);
    settings.put("threads", threads);
    settings.put("warmupSeconds", warmup);
    settings.put("warmupBytes", warmupSize);
    settings.put("seconds", seconds);
    return new ColdReport(settings, every);
  }

  @Override
  void measure(TestBed bed, PartReport report) throws IOException, UserError, HitMismatch {
    bed.folder().require(fileSize + warmupSize);
    Path file = bed.folder().path().resolve(FILE);
    Path warmFile = bed.folder().path().resolve(WARM_FILE);
    DataPattern.write(file, fileSize, progress(), bed.stop());
    DataPattern.write(warmFile, warmupSize, progress(), bed.stop());
    bed.note(
        String.format(
            Locale.ROOT,
            "file %s, another of %s before, reads of %d bytes, %d threads, memory limit %s, medians of"
                + " %d rounds",
            ByteSize.format(fileSize),
            ByteSize.format(warmupSize),
            bytes,
            threads,
            options().memory() == 0 ? "none" : ByteSize.format(options().memory()),
            options().rounds()));
    List<ReadKind> kinds = directories();
    progress().start("measuring");
    int done = 0;
    for (int round = 0; round < options().rounds(); round++) {
      for (ReadKind kind : rotated(kinds, round)) {
        if (bed.stop().requested()) {
          return;
        }
        bed.drop(List.of(file));
        ColdTask task =
            new ColdTask(
                kind.name(),
                file.toString(),
                warmFile.toString(),
                threads,
                new RandomTask.Load(bytes, 0, options().seed() + round, warmup, seconds));
        ChildJvm.Result<ColdTask.Result> result =
            new ChildJvm(bed, options().heap(), options().javaOptions())
                .run(kind.name(), task, ChildLimits.maxSeconds(warmup + seconds));
        if (result == null) {
          return;
        }
        ((ColdReport) report)
            .add(
                new ColdReport.Slot(
                    round,
                    kind.name(),
                    result.value().reads(),
                    result.value().majorFaults(),
                    result.usage().peakBytes()));
        progress().update(++done / (double) (options().rounds() * kinds.size()), kind.name());
      }
    }
  }
}
