/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import java.io.IOException;

/** Where the blocks of one file come from. Thread-safe; may block as long as the disk takes. */
public interface BlockSource {

  /**
   * Reads one range of the file, as one request where that is possible.
   *
   * @param position of the first byte, a multiple of the block size
   * @param length bytes that must come; only the last piece may be larger than what is left
   * @param target where they go: the pieces one after the other are at least {@code length} long
   * @throws IOException if a single byte is missing; the contents of the target are then undefined
   */
  void read(long position, int length, FillTarget target) throws IOException;
}
