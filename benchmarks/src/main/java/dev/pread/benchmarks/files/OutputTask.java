/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import dev.pread.DirectPreadDirectory;
import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.index.DirectoryKind;
import dev.pread.benchmarks.load.DataPattern;
import dev.pread.benchmarks.machine.ChildTask;
import dev.pread.benchmarks.machine.ProcessFigures;
import dev.pread.benchmarks.measure.WrongBytesException;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FlushInfo;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexOutput;

/**
 * Small writes of mixed sizes through one directory's output, and the write calls that the process
 * makes for them. A file that is not measured comes first, so that classes are loaded and compiled.
 *
 * @param directory by name
 * @param folder for the files, which are gone afterwards
 * @param length of the file, in bytes
 * @param ask whether the position is asked for after every write
 * @param seed of the sizes of the writes
 */
record OutputTask(String directory, String folder, long length, boolean ask, long seed)
    implements ChildTask<OutputTask.Result> {
  private static final String NAME = "written";
  private static final int MAX_PIECE = 256;
  private static final int TEMPLATE = 1 << 16;
  private static final byte[] BYTES = new byte[TEMPLATE];

  static {
    for (int i = 0; i < TEMPLATE; i++) {
      BYTES[i] = (byte) DataPattern.word(i);
    }
  }

  /**
   * What was measured.
   *
   * @param nanos from before the file is made until it is closed
   * @param writes that were made into the output
   * @param writeCalls that the process made; -1 if the kernel does not tell
   * @param fellBack whether a file that was to be written directly was not
   */
  record Result(long nanos, long writes, long writeCalls, boolean fellBack) {}

  @Override
  public Result run() throws IOException, UserError {
    write();
    return write();
  }

  private Result write() throws IOException, UserError {
    Path path = Path.of(folder);
    Path file = path.resolve(NAME);
    try (Directory opened = DirectoryKind.named(directory).openForReading(path)) {
      long before = ProcessFigures.io("syscw");
      long start = System.nanoTime();
      long writes;
      try (IndexOutput out = opened.createOutput(NAME, IOContext.flush(new FlushInfo(1, length)))) {
        writes = write(out);
      }
      long nanos = System.nanoTime() - start;
      long calls = before < 0 ? before : ProcessFigures.io("syscw") - before;
      verify(file);
      boolean fellBack = opened instanceof DirectPreadDirectory direct && direct.usesPageCache();
      return new Result(nanos, writes, calls, fellBack);
    } finally {
      Files.deleteIfExists(file);
    }
  }

  private static int piece(SplittableRandom random, long left) {
    return (int) Math.min(left, 1 + random.nextInt(MAX_PIECE));
  }

  /**
   * Makes all writes, the same ones for the same seed.
   *
   * @return how many there were
   * @throws WrongBytesException if a position is not that of the bytes written
   */
  long write(IndexOutput out) throws IOException {
    SplittableRandom random = new SplittableRandom(seed);
    long writes = 0;
    int from = 0;
    for (long written = 0; written < length; writes++) {
      int piece = piece(random, length - written);
      from = (from + piece) & (TEMPLATE / 2 - 1);
      if (piece == 1) {
        out.writeByte(BYTES[from]);
      } else {
        out.writeBytes(BYTES, from, piece);
      }
      written += piece;
      if (ask && out.getFilePointer() != written) {
        throw new WrongBytesException(written, piece);
      }
    }
    if (out.getFilePointer() != length) {
      throw new WrongBytesException(length, 0);
    }
    return writes;
  }

  /** Compares a file with what these writes make. */
  void verify(Path file) throws IOException {
    if (Files.size(file) != length) {
      throw new WrongBytesException(Files.size(file), 0);
    }
    SplittableRandom random = new SplittableRandom(seed);
    try (InputStream in = new BufferedInputStream(Files.newInputStream(file), TEMPLATE)) {
      int from = 0;
      for (long read = 0; read < length; ) {
        int piece = piece(random, length - read);
        from = (from + piece) & (TEMPLATE / 2 - 1);
        byte[] found = in.readNBytes(piece);
        if (!Arrays.equals(found, 0, found.length, BYTES, from, from + piece)) {
          throw new WrongBytesException(read, piece);
        }
        read += piece;
      }
    }
  }
}
