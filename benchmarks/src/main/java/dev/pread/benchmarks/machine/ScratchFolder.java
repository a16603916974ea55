/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.machine;

import dev.pread.benchmarks.UserError;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.apache.lucene.util.IOUtils;

/**
 * The folder with the files that are read. On {@link #close()} everything in it goes, and the
 * folder too if it was made here, unless it is to be kept. A kept one can be used again: it has a
 * mark, without which a folder that is not empty is not touched.
 */
public final class ScratchFolder implements Closeable {
  private static final String MARK = "made-by-lucene-pread";
  private static final Set<String> IN_MEMORY = Set.of("tmpfs", "ramfs");

  private final Path path;
  private final boolean created;
  private final boolean keep;

  private ScratchFolder(Path path, boolean created, boolean keep) {
    this.path = path;
    this.created = created;
    this.keep = keep;
  }

  /**
   * A folder to work in.
   *
   * @param path an empty, absent or kept folder; null for a new one among the temporary files
   * @param keep whether to leave it as it is at the end
   * @throws UserError if it cannot be used
   */
  public static ScratchFolder open(Path path, boolean keep) {
    boolean created = path == null || !Files.exists(path);
    Path folder = path;
    try {
      if (path == null) {
        folder = Files.createTempDirectory("lucene-pread-");
      } else if (created) {
        Files.createDirectories(path);
      } else if (!Files.isDirectory(path)) {
        throw new UserError("work folder " + path + " is a file: name an empty or a new folder");
      } else if (!isOurs(path)) {
        throw new UserError(
            "work folder "
                + path
                + " is not empty: name an empty or a new one, or one that was kept");
      }
      if (!Files.isWritable(folder)) {
        throw new UserError("work folder " + path + " may not be written: name another --work");
      }
      Files.write(folder.resolve(MARK), new byte[0]);
      return new ScratchFolder(folder.toRealPath(), created, keep);
    } catch (IOException e) {
      throw new UserError(
          "work folder "
              + (path == null ? System.getProperty("java.io.tmpdir") : path)
              + " cannot be made ("
              + e
              + "): name another with --work",
          e);
    }
  }

  private static boolean isOurs(Path path) throws IOException {
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(path)) {
      return Files.exists(path.resolve(MARK)) || !entries.iterator().hasNext();
    }
  }

  /**
   * Checks that files of this size can be written and are read from a device.
   *
   * @throws UserError if not
   */
  public void require(long bytes) throws IOException {
    String type = Files.getFileStore(path).type();
    if (IN_MEMORY.contains(type)) {
      throw new UserError(
          "work folder " + path + " is in memory (" + type + "): name one on a disk with --work");
    }
    long free = Files.getFileStore(path).getUsableSpace();
    if (bytes > free) {
      throw new UserError(
          "work folder "
              + path
              + " has "
              + ByteSize.format(free)
              + " free, and "
              + ByteSize.format(bytes)
              + " are needed: name another with --work, or smaller sizes");
    }
  }

  public Path path() {
    return path;
  }

  @Override
  public void close() throws IOException {
    if (keep) {
      return;
    }
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(path)) {
      for (Path entry : entries) {
        IOUtils.rm(entry);
      }
    }
    if (created) {
      Files.deleteIfExists(path);
    }
  }
}
