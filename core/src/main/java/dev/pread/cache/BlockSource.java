/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import java.io.IOException;

/** The source of one file's blocks. It is thread-safe, and may block as long as the disk takes. */
public interface BlockSource {

  /**
   * Reads one range of the file, as one request where that is possible.
   *
   * @param position the position of the first byte, a multiple of the block size
   * @param length how many bytes must come; only the last piece may be larger than what is left
   * @param target where the bytes go: its pieces together are at least {@code length} long
   * @throws IOException if a single byte is missing; the contents of the target are then undefined
   */
  void read(long position, int length, FillTarget target) throws IOException;
}
