/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import java.io.Closeable;
import java.io.IOException;
import java.util.function.BooleanSupplier;
import org.apache.lucene.util.IOSupplier;

/**
 * Holds a file that is open in one of the ways that are compared. Thread-safe; closing it takes
 * everything away that its readers use.
 *
 * @param readers makes readers, all alike
 * @param resource what they use
 * @param usesPageCache says whether direct I/O was asked for, and the file is read through the page
 *     cache all the same
 */
record Source(IOSupplier<BlockReader> readers, Closeable resource, BooleanSupplier usesPageCache)
    implements Closeable {

  Source(IOSupplier<BlockReader> readers, Closeable resource) {
    this(readers, resource, () -> false);
  }

  /** Makes a reader for one thread, with buffers of its own. */
  BlockReader reader() throws IOException {
    return readers.get();
  }

  @Override
  public void close() throws IOException {
    resource.close();
  }

  /** Reads blocks for one thread. */
  interface BlockReader {
    /**
     * Fills an array.
     *
     * @param position in the file, so that all of the block is in it
     * @param into the block, as long as it is
     * @throws java.io.EOFException if the file ends before
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
