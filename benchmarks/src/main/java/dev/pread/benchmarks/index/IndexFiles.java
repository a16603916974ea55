/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.index;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.util.IOUtils;

/** Handles the files of an index that nobody writes to. */
public final class IndexFiles {
  private IndexFiles() {}

  /** Returns all files but the lock. */
  public static List<Path> of(Path index) throws IOException {
    try (Stream<Path> entries = Files.list(index)) {
      return entries
          .filter(Files::isRegularFile)
          .filter(file -> !file.endsWith(IndexWriter.WRITE_LOCK_NAME))
          .toList();
    }
  }

  public static long bytes(List<Path> files) throws IOException {
    long bytes = 0;
    for (Path file : files) {
      bytes += Files.size(file);
    }
    return bytes;
  }

  /**
   * Makes a folder with the same files, to be written to: hard links, since Lucene never changes a
   * file, only deletes it.
   *
   * @param target is made anew, whatever a killed run left there; the caller's to delete
   */
  public static Path link(Path index, Path target) throws IOException {
    IOUtils.rm(target);
    Files.createDirectory(target);
    for (Path file : of(index)) {
      Files.createLink(target.resolve(file.getFileName()), file);
    }
    return target;
  }
}
