/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.pressure;

import dev.pread.benchmarks.Checks;
import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.files.Fio;
import dev.pread.benchmarks.files.FioJob;
import dev.pread.benchmarks.child.ChildJvm;
import dev.pread.benchmarks.child.ChildLimits;
import dev.pread.benchmarks.index.ReadKind;
import dev.pread.benchmarks.load.DataPattern;
import dev.pread.benchmarks.machine.ByteSize;
import dev.pread.benchmarks.machine.TestBed;
import dev.pread.benchmarks.machine.UnavailableException;
import dev.pread.benchmarks.measure.HitMismatch;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code pressure random}: reads of a file that is larger than the memory limit. */
@Command(
    name = "random",
    description =
        "Reads random blocks of a file larger than the memory limit, and compares throughput,"
            + " latency, page faults and memory with each other and with what the device gives"
            + " (fio, O_DIRECT). Every read is checked.")
final class RandomCommand extends PressurePart {
  private static final String FILE = "data";
  private static final int TIMES_MEMORY = 5;
  private static final int SECTOR = 512;
  private static final int MAX_BYTES = 1 << 20;

  @Option(
      names = "--file-size",
      paramLabel = "SIZE",
      converter = ByteSize.class,
      description = "Length of the file; default: five times --memory")
  private Long fileSize;

  @Option(
      names = "--bytes",
      paramLabel = "N",
      split = ",",
      defaultValue = "4096,16384",
      description = "Length of a read, multiples of 512; default: ${DEFAULT-VALUE}")
  private List<Integer> bytes = new ArrayList<>();

  @Option(
      names = "--threads",
      paramLabel = "N",
      split = ",",
      defaultValue = "1,4,16",
      description = "Threads that read at the same time; default: ${DEFAULT-VALUE}")
  private List<Integer> threads = new ArrayList<>();

  @Option(
      names = "--zipf",
      paramLabel = "S",
      defaultValue = "0",
      description =
          "Read some blocks more often, by a Zipf distribution with this exponent, like 0.99;"
              + " default: all alike")
  private double zipf;

  @Option(
      names = "--warmup",
      paramLabel = "S",
      defaultValue = "5",
      description = "Seconds of each slot that are not measured; default: ${DEFAULT-VALUE}")
  private double warmup;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      defaultValue = "10",
      description = "Seconds of each slot that are measured; default: ${DEFAULT-VALUE}")
  private double seconds;

  /** Made by picocli. */
  RandomCommand() {}

  @Override
  void check() throws UserError {
    options()
        .defaults(
            List.of("mmap", "mmap-random", "niofs", "pread", ReadKind.FIO), 1024 * MEBI, 64 * MEBI);
    for (int length : bytes) {
      if (length < SECTOR || length > MAX_BYTES || length % SECTOR != 0) {
        throw new UserError(
            "--bytes " + length + " is no length of a read: use multiples of 512 up to 1048576");
      }
    }
    for (int count : threads) {
      Checks.positive("--threads", count);
    }
    Checks.notNegative("--zipf", zipf);
    Checks.notNegative("--warmup", warmup);
    Checks.positive("--seconds", seconds);
    if (fileSize == null) {
      if (options().memory() == 0) {
        throw new UserError("--file-size has no default without --memory: name it");
      }
      fileSize = TIMES_MEMORY * options().memory();
    }
    if (fileSize < 2L * MAX_BYTES) {
      throw new UserError("--file-size " + fileSize + " is too small: name at least 2m");
    }
    fileSize = fileSize / MAX_BYTES * MAX_BYTES;
  }

  @Override
  PartReport newReport() {
    Map<String, Object> settings = new LinkedHashMap<>();
    settings.put("fileBytes", fileSize);
    settings.put("bytes", bytes);
    settings.put("threads", threads);
    settings.put("zipf", zipf);
    settings.put("warmupSeconds", warmup);
    settings.put("seconds", seconds);
    return new RandomReport(settings);
  }

  @Override
  void measure(TestBed bed, PartReport report) throws IOException, UserError, HitMismatch {
    bed.folder().require(fileSize);
    Path file = bed.folder().path().resolve(FILE);
    DataPattern.write(file, fileSize, progress(), bed.stop());
    bed.note(
        String.format(
            java.util.Locale.ROOT,
            "file %s, memory limit %s, heap %s, %s, medians of %d rounds",
            ByteSize.format(fileSize),
            options().memory() == 0 ? "none" : ByteSize.format(options().memory()),
            ByteSize.format(options().heap()),
            zipf == 0 ? "all blocks alike" : "Zipf " + zipf,
            options().rounds()));
    List<ReadKind> kinds = new ArrayList<>(options().kinds());
    Fio fio = new Fio(Fio.COMMAND, bed);
    if (kinds.stream().anyMatch(ReadKind::isFio)) {
      String missing = fio.missing();
      if (missing != null) {
        bed.note("fio left out: " + missing);
        kinds.removeIf(ReadKind::isFio);
      }
    }
    List<Turn> turns = turns(kinds);
    progress().start("measuring");
    int done = 0;
    for (Turn turn : turns) {
      bed.drop(List.of(file));
      RandomSlot slot = slot(bed, fio, file, turn);
      if (slot == null) {
        return;
      }
      ((RandomReport) report).add(slot);
      progress()
          .update(
              ++done / (double) turns.size(),
              turn.kind().name() + ", " + turn.bytes() + " bytes, " + turn.threads() + " threads");
    }
  }

  /** Whose turn it is to read how. */
  private record Turn(int round, int bytes, int threads, ReadKind kind) {}

  /** All rounds; in each, the contenders of one load run one after the other, in turning order. */
  private List<Turn> turns(List<ReadKind> kinds) {
    List<Turn> turns = new ArrayList<>();
    for (int round = 0; round < options().rounds(); round++) {
      for (int length : bytes) {
        for (int count : threads) {
          for (ReadKind kind : rotated(kinds, round)) {
            turns.add(new Turn(round, length, count, kind));
          }
        }
      }
    }
    return turns;
  }

  private RandomSlot slot(TestBed bed, Fio fio, Path file, Turn turn)
      throws IOException, UserError, HitMismatch {
    RandomTask.Load load =
        new RandomTask.Load(turn.bytes(), zipf, options().seed() + turn.round(), warmup, seconds);
    if (turn.kind().isFio()) {
      FioJob.Reads reads = new FioJob.Reads("psync", false, turn.bytes());
      FioJob job = new FioJob(reads, turn.threads(), 1, warmup, seconds);
      try {
        Fio.Measured measured = fio.run(file, job);
        return measured == null ? null : RandomSlot.of(turn.round(), job, measured);
      } catch (UnavailableException e) {
        throw new UserError("leave fio out of --directories: on " + file + " " + e.getMessage(), e);
      }
    }
    String name = turn.kind().name();
    RandomTask task = new RandomTask(name, file.toString(), turn.threads(), load);
    ChildJvm.Result<RandomTask.Result> result =
        new ChildJvm(bed, options().heap(), options().javaOptions())
            .run(name, task, ChildLimits.maxSeconds(warmup + seconds));
    return result == null ? null : RandomSlot.of(turn.round(), name, task, result);
  }
}
