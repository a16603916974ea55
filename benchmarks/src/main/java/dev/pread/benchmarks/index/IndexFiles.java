/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.index;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The files of an index that nobody writes to. */
public final class IndexFiles {
  private static final String LOCK = "write.lock";

  private IndexFiles() {}

  /** All of them but the lock. */
  public static List<Path> of(Path index) throws IOException {
    List<Path> files = new ArrayList<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(index)) {
      for (Path entry : entries) {
        if (Files.isRegularFile(entry) && !entry.getFileName().toString().equals(LOCK)) {
          files.add(entry);
        }
      }
    }
    return files;
  }

  /** Their length together. */
  public static long bytes(Path index) throws IOException {
    long bytes = 0;
    for (Path file : of(index)) {
      bytes += Files.size(file);
    }
    return bytes;
  }

  /**
   * Makes a folder with the same files, to be written to: hard links where there are such, since
   * Lucene never changes a file, only deletes it; else copies.
   *
   * @param target is made; the caller's to delete
   */
  public static void link(Path index, Path target) throws IOException {
    Files.createDirectory(target);
    for (Path file : of(index)) {
      Path link = target.resolve(file.getFileName());
      try {
        Files.createLink(link, file);
      } catch (UnsupportedOperationException | IOException noLinks) {
        Files.copy(file, link);
      }
    }
  }
}
