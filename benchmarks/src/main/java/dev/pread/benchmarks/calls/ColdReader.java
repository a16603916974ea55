/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.calls;

import dev.pread.benchmarks.machine.Libc;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Reads of one file into arrays, by any number of threads, that may have to wait for the disk. */
final class ColdReader {
  /** Backends of this project, and reads in a critical section. */
  static final List<String> NAMES = List.of("jni", "ffm", "naive-jni", "naive-ffm");

  private ColdReader() {}

  /**
   * Opens a file.
   *
   * @throws IllegalStateException if this way cannot be had here; the message says why
   */
  static NativeWay.Reader open(String name, Path file) throws IOException {
    return switch (name) {
      case "naive-jni" -> {
        NaiveJni.load();
        yield new Naive(Libc.open(file, Libc.O_RDONLY_CLOEXEC), NaiveJni::read);
      }
      case "naive-ffm" -> new Naive(Libc.open(file, Libc.O_RDONLY_CLOEXEC), NaiveFfm::read);
      default -> new BackendWay(name).open(file, SafepointsTask.BYTES).orElseThrow();
    };
  }

  /** A call that is given the array itself. */
  private interface Call {
    /** Returns the bytes that were read. */
    long read(int fd, byte[] array, long position);
  }

  /** In a critical section. */
  private record Naive(int fd, Call call) implements NativeWay.Reader {
    @Override
    public void read(byte[] array, long position) throws IOException {
      long n = call.read(fd, array, position);
      if (n != array.length) {
        throw new EOFException("pread returned " + n + ", not " + array.length);
      }
    }

    @Override
    public void close() throws IOException {
      Libc.close(fd);
    }
  }
}
