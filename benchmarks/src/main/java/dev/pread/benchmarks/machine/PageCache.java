/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.machine;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Empties the page cache of single files, which needs no root: {@code fsync}, since dirty pages
 * stay, and then {@code posix_fadvise(POSIX_FADV_DONTNEED)}. Pages that a process has mapped stay
 * too. Thread-safe.
 */
public final class PageCache {
  private static final int PAGE = 4096;
  private static final long CHUNK = 1L << 30;

  private PageCache() {}

  /** Drops a file's pages. */
  public static void drop(Path file) throws IOException, UnavailableException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.force(true);
    }
    try {
      int fd = Libc.open(file, Libc.O_RDONLY_CLOEXEC);
      try {
        Libc.fadvise(fd, 0, 0, Libc.FADV_DONTNEED);
      } finally {
        Libc.close(fd);
      }
    } catch (ExceptionInInitializerError | NoClassDefFoundError e) {
      throw new UnavailableException(
          "the page cache cannot be emptied: run on 64-bit Linux, with"
              + " --enable-native-access=ALL-UNNAMED",
          e);
    }
  }

  /** How many bytes of a file are in the page cache, in whole pages. */
  public static long residentBytes(Path file) throws IOException {
    long resident = 0;
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
        Arena arena = Arena.ofConfined()) {
      long size = channel.size();
      for (long start = 0; start < size; start += CHUNK) {
        long length = Math.min(CHUNK, size - start);
        MemorySegment mapped = channel.map(FileChannel.MapMode.READ_ONLY, start, length, arena);
        for (long page = 0; page < length; page += PAGE) {
          long bytes = Math.min(PAGE, length - page);
          resident += mapped.asSlice(page, bytes).isLoaded() ? bytes : 0;
        }
      }
    }
    return resident;
  }
}
