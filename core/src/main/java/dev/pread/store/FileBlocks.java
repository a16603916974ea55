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
 * The blocks of one file: reads them into the cache's memory, wherever its pieces are, with one
 * call. There is no scratch buffer and no second copy, with direct I/O neither.
 *
 * <p>Thread-safe. Does not own the file.
 */
final class FileBlocks implements BlockSource {

  private final PosixFile file;
  private final VectorPool vectors;

  /** The blocks of {@code file}, which was opened through {@code backend}. */
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
