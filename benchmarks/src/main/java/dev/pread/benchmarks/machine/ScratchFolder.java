/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.machine;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.apache.lucene.util.IOUtils;

/**
 * The folder with the files that are read. {@link #close()} deletes it, unless it is to be kept. A
 * kept one can be used again: it has a mark, without which a folder that is there is not touched.
 */
public record ScratchFolder(Path path, boolean keep) implements Closeable {
  private static final String MARK = "made-by-lucene-pread";
  private static final Set<String> IN_MEMORY = Set.of("tmpfs", "ramfs");

  /** Opens an absent or kept folder; null stands for a new one among the temporary files. */
  static ScratchFolder open(Path path, boolean keep) {
    try {
      if (path != null && Files.exists(path) && !Files.exists(path.resolve(MARK))) {
        throw refused(path, "is there, and was not kept by an earlier run");
      }
      Path folder =
          path == null ? Files.createTempDirectory("lucene-pread-") : Files.createDirectories(path);
      Files.write(folder.resolve(MARK), new byte[0]);
      return new ScratchFolder(folder.toRealPath(), keep);
    } catch (IOException e) {
      throw refused(path, "cannot be made or written (" + e + ")");
    }
  }

  private static UserError refused(Path path, String why) {
    String named = path == null ? System.getProperty("java.io.tmpdir") : path.toString();
    return new UserError(
        "work folder " + named + " " + why + ": name a new one on a disk with --work");
  }

  /** Checks that files of this size can be written and are read from a device. */
  public void require(long bytes) throws IOException {
    FileStore store = Files.getFileStore(path);
    if (IN_MEMORY.contains(store.type())) {
      throw refused(path, "is in memory (" + store.type() + ")");
    }
    long free = store.getUsableSpace();
    if (bytes > free) {
      throw refused(
          path, "has " + ByteSize.format(free) + " free, and needs " + ByteSize.format(bytes));
    }
  }

  @Override
  public void close() throws IOException {
    if (!keep) {
      IOUtils.rm(path);
    }
  }
}
