/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.pressure;

import dev.pread.benchmarks.Checks;
import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.child.ChildJvm;
import dev.pread.benchmarks.child.ChildLimits;
import dev.pread.benchmarks.child.JavaOptions;
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

/** {@code pressure footprint}: what open files and live clones take. */
@Command(
    name = "footprint",
    description =
        "Opens many files and holds many clones that have each read something, and shows what that"
            + " adds to the memory of the process.")
final class FootprintCommand extends PressurePart {

  @Option(
      names = "--files",
      paramLabel = "N",
      defaultValue = "1000",
      description = "Files to open; default: ${DEFAULT-VALUE}")
  private int files;

  @Option(
      names = "--clones",
      paramLabel = "N",
      defaultValue = "100000",
      description = "Clones to hold, of all files together; default: ${DEFAULT-VALUE}")
  private int clones;

  @Option(
      names = "--file-size",
      paramLabel = "SIZE",
      converter = ByteSize.class,
      defaultValue = "256k",
      description = "Length of each file; default: ${DEFAULT-VALUE}")
  private long fileSize;

  /** Made by picocli. */
  FootprintCommand() {}

  @Override
  void check() throws UserError {
    options().defaults(List.of("mmap", "niofs", "pread"), 0, 1024 * MEBI);
    directories();
    Checks.positive("--files", files);
    Checks.positive("--clones", clones);
    if (fileSize < 4096) {
      throw new UserError("--file-size " + fileSize + " is too small: name at least 4k");
    }
    fileSize = fileSize / 4096 * 4096;
  }

  @Override
  PartReport newReport() {
    Map<String, Object> settings = new LinkedHashMap<>();
    settings.put("files", files);
    settings.put("clones", clones);
    settings.put("fileBytes", fileSize);
    return new FootprintReport(settings, clones);
  }

  @Override
  void measure(TestBed bed, PartReport report) throws IOException, UserError, HitMismatch {
    bed.folder().require(files * fileSize);
    Path folder = bed.folder().path();
    for (int i = 0; i < files && !bed.stop().requested(); i++) {
      DataPattern.write(folder.resolve(FootprintTask.file(i)), fileSize, progress(), bed.stop());
    }
    bed.note(
        String.format(
            Locale.ROOT,
            "%,d files of %s, %,d clones, each after a read; medians of %d rounds; files are mapped"
                + " memory, which the kernel can take back",
            files,
            ByteSize.format(fileSize),
            clones,
            options().rounds()));
    List<ReadKind> kinds = directories();
    JavaOptions javaOptions = options().javaOptions();
    progress().start("measuring");
    int done = 0;
    for (int round = 0; round < options().rounds(); round++) {
      for (ReadKind kind : rotated(kinds, round)) {
        FootprintTask task =
            new FootprintTask(kind.name(), folder.toString(), files, clones, options().seed());
        ChildJvm.Result<FootprintTask.Result> result =
            new ChildJvm(bed, options().heap(), javaOptions)
                .run(kind.name(), task, ChildLimits.maxSeconds(60));
        if (result == null) {
          return;
        }
        ((FootprintReport) report)
            .add(
                new FootprintReport.Slot(
                    round,
                    kind.name(),
                    javaOptions.cacheBytes(kind.name()),
                    result.value(),
                    result.usage().peakBytes()));
        progress().update(++done / (double) (options().rounds() * kinds.size()), kind.name());
      }
    }
  }
}
