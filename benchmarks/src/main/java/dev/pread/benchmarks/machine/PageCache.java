/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.machine;

import dev.pread.posix.Advice;
import dev.pread.posix.BackendRegistry;
import dev.pread.posix.OpenMode;
import dev.pread.posix.SystemCalls;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Empties the page cache of single files, which needs no root: {@code fsync}, since dirty pages
 * stay, and then {@code posix_fadvise(POSIX_FADV_DONTNEED)}. Pages that a process has mapped stay
 * too. Thread-safe.
 */
public final class PageCache {
  private PageCache() {}

  /**
   * Drops a file's pages.
   *
   * @throws UnavailableException if no backend of this project can give the advice here
   */
  public static void drop(Path file) throws IOException, UnavailableException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.force(true);
    }
    SystemCalls calls = BackendRegistry.get(BackendRegistry.AUTO).calls();
    int fd = calls.open(file, OpenMode.READ);
    if (fd < 0) {
      throw new IOException("open of " + file + " failed with errno " + -fd);
    }
    int result = calls.fadvise(fd, 0, 0, Advice.DONTNEED);
    calls.close(fd);
    if (result != 0) {
      throw new UnavailableException(
          "the page cache cannot be emptied (errno "
              + -result
              + "): run on 64-bit Linux, with --enable-native-access=ALL-UNNAMED");
    }
  }
}
