/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import dev.pread.cache.BlockSource;
import dev.pread.cache.FillTarget;
import dev.pread.posix.Backend;
import dev.pread.posix.IoVector;
import dev.pread.posix.PosixFile;
import dev.pread.posix.VectorPool;
import java.io.IOException;

/**
 * Reads the blocks of one file into the cache's memory with one call, wherever the pieces of that
 * memory are. There is no scratch buffer and no second copy, not even with direct I/O.
 *
 * <p>This class is thread-safe. It does not own the file.
 */
final class FileBlocks implements BlockSource {

  private final PosixFile file;
  private final VectorPool vectors;

  /** Creates the source of the blocks of {@code file}, which was opened through {@code backend}. */
  FileBlocks(Backend backend, PosixFile file) {
    this.file = file;
    this.vectors = backend.vectors();
  }

  @Override
  public void read(long position, int length, FillTarget target) throws IOException {
    IoVector vector = vectors.take();
    try {
      for (int i = 0; i < target.size(); i++) {
        vector.add(target.memory(i), target.offset(i), target.length(i));
      }
      file.readFully(position, vector, length);
    } finally {
      vectors.give(vector);
    }
  }
}
