/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.index;

import dev.pread.benchmarks.UserError;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The folder an index is built in. On {@link #close()} everything in it goes, and the folder too if
 * it was made here, unless {@link #keep()} was called.
 */
public final class WorkFolder implements Closeable {
  private final Path path;
  private final boolean created;
  private boolean keep;

  private WorkFolder(Path path, boolean created) {
    this.path = path;
    this.created = created;
  }

  /**
   * A folder to build in.
   *
   * @param path an empty or absent folder; null for a new one among the system's temporary files
   * @throws UserError if it cannot be used
   */
  public static WorkFolder open(Path path) throws UserError {
    try {
      if (path == null) {
        return new WorkFolder(Files.createTempDirectory("lucene-pread-"), true);
      }
      boolean created = !Files.exists(path);
      if (created) {
        Files.createDirectories(path);
      } else if (!Files.isDirectory(path)) {
        throw new UserError("work folder " + path + " is a file: name an empty or a new folder");
      } else if (!isEmpty(path)) {
        throw new UserError(
            "work folder "
                + path
                + " is not empty: name an empty or a new one, or search an index with --index");
      }
      if (!Files.isWritable(path)) {
        throw new UserError("work folder " + path + " may not be written: name another --work");
      }
      return new WorkFolder(path, created);
    } catch (IOException e) {
      String name = path == null ? System.getProperty("java.io.tmpdir") : path.toString();
      throw new UserError(
          "work folder " + name + " cannot be made (" + e + "): name another with --work", e);
    }
  }

  private static boolean isEmpty(Path path) throws IOException {
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(path)) {
      return !entries.iterator().hasNext();
    }
  }

  /** Where the index goes. */
  public Path path() {
    return path;
  }

  /** Leaves the index where it is. */
  public void keep() {
    keep = true;
  }

  @Override
  public void close() throws IOException {
    if (keep) {
      return;
    }
    // An index has no folders inside.
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(path)) {
      for (Path entry : entries) {
        Files.deleteIfExists(entry);
      }
    }
    if (created) {
      Files.deleteIfExists(path);
    }
  }
}
