/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import java.nio.ByteBuffer;

/** Where the cache's memory comes from. */
public interface MemorySource {

  /**
   * Native memory, which may be backed by real memory only when it is first written to. It must
   * stay valid as long as the buffer or a slice of it is reachable.
   *
   * @throws OutOfMemoryError if there is none; the cache then stays smaller
   */
  ByteBuffer allocate(int bytes);

  /**
   * How much to ask for at once, bytes, a power of two: what is backed at once should be asked for
   * in small pieces.
   */
  int chunkBytes();

  /** Takes back what backs {@code memory}, of {@link #allocate}, leaving its contents undefined. */
  void discard(ByteBuffer memory);
}
