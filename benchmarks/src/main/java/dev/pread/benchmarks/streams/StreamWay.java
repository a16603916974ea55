/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.streams;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A way to write and read a file from its beginning to its end. In all of them the bytes come from
 * an array and end in one, as those of Lucene do. One thread.
 */
interface StreamWay {

  /** Where a file's bytes go; closing it may still write some. */
  interface Sink extends Closeable {

    /** Takes the first bytes of the array, which may change afterwards. */
    void write(byte[] block, int length) throws IOException;
  }

  /** Where a file's bytes come from. */
  interface Source extends Closeable {

    /**
     * Fills the beginning of the array.
     *
     * @throws java.io.EOFException if the file ends before
     */
    void read(byte[] block, int length) throws IOException;
  }

  /**
   * Makes a file that is not there yet.
   *
   * @param length it will have
   * @param buffer bytes of the buffer, and of the blocks that are written
   */
  Sink create(Path file, long length, int buffer) throws IOException;

  /**
   * Opens a file.
   *
   * @param buffer bytes of the buffer, and of the blocks that are read
   */
  Source open(Path file, int buffer) throws IOException;

  /** Returns when a file that has been written and closed is on the device. */
  default void sync(Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.force(true);
    }
  }

  /** Why its figures would be those of another way, or null if they are its own. */
  default String pretends() {
    return null;
  }
}
