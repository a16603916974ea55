/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import dev.pread.benchmarks.WrongResult;
import dev.pread.benchmarks.machine.ChildTask;
import dev.pread.benchmarks.machine.DataPattern;
import dev.pread.benchmarks.machine.ProcessFigures;
import dev.pread.benchmarks.report.Figures;
import dev.pread.benchmarks.report.Metric;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FlushInfo;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexOutput;

/**
 * Small writes of mixed sizes through one directory's output, and the write calls that the process
 * makes for them. A file that is not measured comes first, so that classes are loaded and compiled.
 *
 * @param way the directory
 * @param folder for the files, which are gone afterwards
 * @param length of the file, in bytes
 * @param asked when the position is asked for
 * @param seed of the sizes of the writes
 */
record OutputTask(Way way, String folder, long length, String asked, long seed)
    implements ChildTask<List<Figures>> {
  static final String AT_END = "at the end";
  static final String AFTER_WRITES = "after every write";
  private static final String NAME = "written";
  private static final int MAX_PIECE = 256;

  /** What is written, again and again. Its length is prime, so that no lost block goes unseen. */
  private static final byte[] BYTES = new byte[65_521];

  static {
    for (int i = 0; i < BYTES.length; i++) {
      BYTES[i] = (byte) DataPattern.word(i);
    }
  }

  private record Conditions(String getFilePointer) {}

  @Override
  public List<Figures> run() throws IOException {
    writeFile();
    return List.of(writeFile());
  }

  private Figures writeFile() throws IOException {
    Path file = Path.of(folder, NAME);
    try (Directory directory = way.directory(file.getParent())) {
      long before = ProcessFigures.io("syscw");
      long start = System.nanoTime();
      long writes;
      try (IndexOutput out =
          directory.createOutput(NAME, IOContext.flush(new FlushInfo(1, length)))) {
        writes = write(out);
      }
      long nanos = System.nanoTime() - start;
      long calls = before < 0 ? before : ProcessFigures.io("syscw") - before;
      verify(file);
      Figures figures = Figures.under(new Conditions(asked));
      figures.add(Metric.throughput("MB/s"), length * 1e3 / nanos);
      figures.add(Metric.fact("writes", ""), (double) writes);
      figures.addKnown(Metric.listedCost("write calls", ""), calls);
      return figures;
    } finally {
      Files.deleteIfExists(file);
    }
  }

  /**
   * Makes all writes, the same ones for the same seed.
   *
   * @return how many there were
   * @throws WrongResult if a position is not that of the bytes written
   */
  long write(IndexOutput out) throws IOException {
    SplittableRandom random = new SplittableRandom(seed);
    boolean ask = asked.equals(AFTER_WRITES);
    long writes = 0;
    int from = 0;
    for (long written = 0; written < length; writes++) {
      long left = Math.min(length - written, BYTES.length - from);
      int piece = (int) Math.min(left, 1 + random.nextInt(MAX_PIECE));
      if (piece == 1) {
        out.writeByte(BYTES[from]);
      } else {
        out.writeBytes(BYTES, from, piece);
      }
      written += piece;
      from = (from + piece) % BYTES.length;
      if (ask && out.getFilePointer() != written) {
        throw WrongResult.bytes(written, piece);
      }
    }
    if (out.getFilePointer() != length) {
      throw WrongResult.bytes(length, 0);
    }
    return writes;
  }

  /** Compares a file with what these writes make. */
  void verify(Path file) throws IOException {
    if (Files.size(file) != length) {
      throw WrongResult.bytes(Files.size(file), 0);
    }
    try (InputStream in = Files.newInputStream(file)) {
      for (long read = 0; read < length; read += BYTES.length) {
        byte[] found = in.readNBytes(BYTES.length);
        if (!Arrays.equals(found, 0, found.length, BYTES, 0, found.length)) {
          throw WrongResult.bytes(read, found.length);
        }
      }
    }
  }
}
