/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.calls;

import dev.pread.benchmarks.result.Contender;
import dev.pread.store.FileReader;
import dev.pread.posix.Backend;
import dev.pread.posix.Backends;
import dev.pread.posix.FileStat;
import dev.pread.posix.NativeBuffer;
import dev.pread.posix.OpenMode;
import dev.pread.posix.Posix;
import dev.pread.posix.PosixFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A backend of this project, through the seam that all of them have: a new one takes part as soon
 * as it is on the class path.
 */
final class BackendWay implements NativeWay {
  private static final int ALIGNMENT = 4096;

  private final String name;
  private final Posix posix;

  /**
   * @throws IllegalStateException if it cannot be used here
   */
  BackendWay(String name) {
    this.name = name;
    this.posix = Backends.get(name).posix();
  }

  @Override
  public Contender contender() {
    return Contender.ours(name);
  }

  @Override
  public Optional<NativeCall> prepare(CallKind kind, Path file) throws IOException {
    return switch (kind) {
      case STAT -> Optional.empty(); // The seam never asks a path: a descriptor cannot be replaced.
      case OPEN_FSTAT_CLOSE -> Optional.of(new OpenFstatClose(posix, file, Files.size(file)));
      case FSTAT -> Optional.of(new Fstat(posix, open(file), Files.size(file)));
      case PREAD_8, PREAD_8192 ->
          Optional.of(new Pread(posix, open(file), posix.allocate(kind.bytes(), ALIGNMENT)));
    };
  }

  @Override
  public Optional<Reader> open(Path file, int bytes) throws IOException {
    return Optional.of(ArrayReader.open(Backends.get(name), file));
  }

  private int open(Path file) throws IOException {
    return check(posix.open(file, OpenMode.READ), "open of " + file);
  }

  private static int check(int result, String call) throws IOException {
    if (result < 0) {
      throw new IOException(call + " failed with errno " + -result);
    }
    return result;
  }

  private static void checkSize(FileStat stat, long expected) throws IOException {
    if (stat.size() != expected) {
      throw new IOException("fstat says " + stat + ", not " + expected);
    }
  }

  private static void checkCount(long n, int expected) throws IOException {
    if (n != expected) {
      throw new IOException("pread returned " + n + ", not " + expected);
    }
  }

  private record OpenFstatClose(Posix posix, Path file, long size) implements NativeCall {
    @Override
    public long call() throws IOException {
      FileStat stat = new FileStat();
      int fd = check(posix.open(file, OpenMode.READ), "open");
      check(posix.fstat(fd, stat), "fstat");
      check(posix.close(fd), "close");
      checkSize(stat, size);
      return stat.inode();
    }
  }

  private record Fstat(Posix posix, int fd, long size, FileStat stat) implements NativeCall {
    Fstat(Posix posix, int fd, long size) {
      this(posix, fd, size, new FileStat());
    }

    @Override
    public long call() throws IOException {
      check(posix.fstat(fd, stat), "fstat");
      checkSize(stat, size);
      return stat.inode();
    }

    @Override
    public void close() throws IOException {
      check(posix.close(fd), "close");
    }
  }

  private record Pread(Posix posix, int fd, NativeBuffer buffer) implements NativeCall {
    @Override
    public long call() throws IOException {
      checkCount(posix.pread(fd, buffer, 0, buffer.size(), 0), buffer.size());
      return buffer.bytes().getLong(0);
    }

    @Override
    public void close() throws IOException {
      check(posix.close(fd), "close");
    }
  }

  /** As inputs read past the cache: straight into the array where the backend can. */
  private record ArrayReader(PosixFile file, FileReader reader) implements Reader {
    static ArrayReader open(Backend backend, Path path) throws IOException {
      PosixFile file = backend.open(path, OpenMode.READ);
      return new ArrayReader(file, new FileReader(backend, file));
    }

    @Override
    public void read(byte[] array, long offset) throws IOException {
      reader.readBytes(offset, array, 0, array.length);
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }
}
