/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.index;

import dev.pread.benchmarks.machine.UserError;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.apache.lucene.index.CorruptIndexException;
import org.apache.lucene.index.IndexFormatTooNewException;
import org.apache.lucene.index.IndexFormatTooOldException;
import org.apache.lucene.index.IndexNotFoundException;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.util.IOSupplier;
import org.apache.lucene.util.IOUtils;
import org.apache.lucene.util.Version;

/** Handles the files of an index that nobody writes to. */
public final class IndexFiles {
  private IndexFiles() {}

  /** Opens an existing index; what the user can put right becomes a {@link UserError}. */
  public static <T> T opening(Path index, IOSupplier<T> task) throws IOException {
    try {
      return task.get();
    } catch (IndexNotFoundException e) {
      String words = " holds no Lucene index: name a folder with a segments file";
      throw new UserError(index + words, e);
    } catch (IndexFormatTooOldException
        | IndexFormatTooNewException
        | CorruptIndexException
        | AccessDeniedException
        | IllegalArgumentException e) {
      // It tells of a codec that is not there; any other is a defect.
      if (e instanceof IllegalArgumentException && !("" + e.getMessage()).contains("SPI class")) {
        throw e;
      }
      throw new UserError(
          String.format(
              Locale.ROOT,
              "index %s cannot be read by Lucene %s (%s): it has to be whole and yours, of this"
                  + " major version or the one before, and its codecs on the class path",
              index,
              Version.LATEST,
              e),
          e);
    }
  }

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
