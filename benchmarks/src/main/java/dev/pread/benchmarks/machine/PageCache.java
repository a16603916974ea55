/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.machine;

import dev.pread.posix.Advice;
import dev.pread.posix.BackendRegistry;
import dev.pread.posix.OpenMode;
import dev.pread.posix.PosixFile;
import java.io.IOException;
import java.nio.file.Path;
import org.apache.lucene.util.IOUtils;

/**
 * Empties the page cache of single files, which needs no root: {@code fsync}, since dirty pages
 * stay, and then {@code posix_fadvise(POSIX_FADV_DONTNEED)}. Pages that a process has mapped stay
 * too. It is thread-safe.
 */
public final class PageCache {
  private PageCache() {}

  /** Drops a file's pages, dirty ones too. */
  public static void drop(Path file) throws IOException {
    IOUtils.fsync(file, false);
    dropClean(file);
  }

  /** Drops the pages of a file that nobody writes. */
  public static void dropClean(Path file) throws IOException {
    try (PosixFile opened = BackendRegistry.get(BackendRegistry.AUTO).open(file, OpenMode.READ)) {
      if (!opened.advise(0, 0, Advice.DONTNEED)) {
        throw new UnavailableException(
            "the page cache cannot be emptied: run on 64-bit Linux, with"
                + " --enable-native-access=ALL-UNNAMED");
      }
    }
  }
}
