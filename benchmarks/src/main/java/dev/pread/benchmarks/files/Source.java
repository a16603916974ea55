/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import java.io.Closeable;
import java.io.IOException;
import org.apache.lucene.util.IOSupplier;

/**
 * Holds a file that is open in one of the ways that are compared. Thread-safe; closing it takes
 * everything away that its readers use.
 *
 * @param usesPageCache whether direct I/O was asked for, and could not be had
 */
record Source(IOSupplier<BlockReader> readers, Closeable resource, boolean usesPageCache)
    implements Closeable {

  Source(IOSupplier<BlockReader> readers, Closeable resource) {
    this(readers, resource, false);
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
    /** Fills an array; fails if the file ends before. */
    void read(long position, byte[] into) throws IOException;

    /** Says which blocks of so many bytes are read next, where this way does so. */
    default void prefetch(long[] positions, int bytes) throws IOException {}
  }
}
