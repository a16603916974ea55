/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.grid;

import java.io.Closeable;
import java.io.IOException;

/**
 * A file, opened in one of the ways that are compared. Thread-safe; closing it takes everything
 * away that its readers use.
 */
interface Source extends Closeable {

  /** A reader of one thread, with buffers of its own. */
  BlockReader reader() throws IOException;

  /** One thread's way to its blocks. */
  interface BlockReader {

    /**
     * Reads a whole block.
     *
     * @param position of the block, a multiple of its length, so that all of it is in the file
     * @param into the block, as long as it is
     */
    void read(long position, byte[] into) throws IOException;

    /**
     * Says which blocks are read next, where this way does so; else nothing.
     *
     * @param bytes of each block
     */
    default void prefetch(long[] positions, int bytes) throws IOException {}
  }
}
