/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.machine;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.lucene.util.IOUtils;

/**
 * The folder with the files that are read. On {@link #close()} everything in it goes, and the
 * folder too if it was made here, unless it is to be kept. A kept one can be used again: it has a
 * mark, without which a folder that is not empty is not touched.
 *
 * @param path of the folder
 * @param created whether it was made here
 * @param keep whether to leave it as it is at the end
 */
public record ScratchFolder(Path path, boolean created, boolean keep) implements Closeable {
  private static final String MARK = "made-by-lucene-pread";
  private static final Set<String> IN_MEMORY = Set.of("tmpfs", "ramfs");

  /**
   * Opens a folder to work in.
   *
   * @param path an empty, absent or kept folder; null for a new one among the temporary files
   * @param keep whether to leave it as it is at the end
   * @throws UserError if it cannot be used
   */
  static ScratchFolder open(Path path, boolean keep) {
    try {
      boolean created = path == null || !Files.exists(path);
      Path folder =
          path == null
              ? Files.createTempDirectory("lucene-pread-")
              : created ? Files.createDirectories(path) : path;
      if (!Files.isDirectory(folder)) {
        throw refused(folder, "is a file");
      }
      List<Path> entries = entries(folder);
      if (!entries.isEmpty() && !entries.contains(folder.resolve(MARK))) {
        throw refused(folder, "is not empty, and was not kept by an earlier run");
      }
      Files.write(folder.resolve(MARK), new byte[0]);
      return new ScratchFolder(folder.toRealPath(), created, keep);
    } catch (IOException e) {
      throw refused(path, "cannot be made or written (" + e + ")");
    }
  }

  private static List<Path> entries(Path folder) throws IOException {
    try (Stream<Path> entries = Files.list(folder)) {
      return entries.toList();
    }
  }

  private static UserError refused(Path path, String why) {
    Path named = path == null ? Path.of(System.getProperty("java.io.tmpdir")) : path;
    return new UserError(
        "work folder " + named + " " + why + ": name an empty or a new one on a disk with --work");
  }

  /**
   * Checks that files of this size can be written and are read from a device.
   *
   * @throws UserError if not
   */
  public void require(long bytes) throws IOException {
    FileStore store = Files.getFileStore(path);
    if (IN_MEMORY.contains(store.type())) {
      throw refused(path, "is in memory (" + store.type() + ")");
    }
    long free = store.getUsableSpace();
    if (bytes > free) {
      throw refused(
          path,
          "has "
              + ByteSize.format(free)
              + " free, and "
              + ByteSize.format(bytes)
              + " are needed (or smaller sizes)");
    }
  }

  @Override
  public void close() throws IOException {
    if (keep) {
      return;
    }
    for (Path entry : entries(path)) {
      IOUtils.rm(entry);
    }
    if (created) {
      Files.deleteIfExists(path);
    }
  }
}
