/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.block;

import dev.pread.posix.Backend;
import dev.pread.posix.IoVector;
import dev.pread.posix.PosixFile;
import dev.pread.posix.VectorPool;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Reads whole blocks of one file into native memory, wherever its pieces are, with one call: no
 * scratch buffer, no second copy, also for direct I/O.
 *
 * <p>Thread-safe. Does not own the file.
 */
public final class BlockFiller {

  private final PosixFile file;
  private final VectorPool vectors;

  /** A reader of {@code file}, which was opened through {@code backend}. */
  public BlockFiller(Backend backend, PosixFile file) {
    this.file = file;
    this.vectors = backend.vectors();
  }

  /** Where the pieces of memory are: at most 64, to be filled in order. */
  public interface Pieces {

    /** How many there are. */
    int size();

    /** The direct buffer piece {@code i} lies in. */
    ByteBuffer memory(int i);

    /** Where in its buffer piece {@code i} begins: a multiple of what direct I/O wants. */
    int offset(int i);

    /** Bytes of piece {@code i}, likewise. */
    int length(int i);
  }

  /**
   * Reads at least {@code length} bytes.
   *
   * @param position in the file; a multiple of what direct I/O wants
   * @throws java.io.EOFException if the file ends before
   */
  public void fill(long position, int length, Pieces pieces) throws IOException {
    IoVector vector = vectors.take();
    try {
      for (int i = 0; i < pieces.size(); i++) {
        vector.add(pieces.memory(i), pieces.offset(i), pieces.length(i));
      }
      file.readFully(position, vector, length);
    } finally {
      vector.clear();
      vectors.give(vector);
    }
  }
}
