/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import java.nio.ByteBuffer;

/** The source of the cache's memory. */
public interface MemorySource {

  /**
   * Allocates native memory, which may be backed by real memory only when it is first written to.
   * It must stay valid as long as the buffer or a slice of it is reachable.
   *
   * @throws dev.pread.posix.NoNativeMemoryError if there is none; the cache then stays smaller
   */
  ByteBuffer allocate(int bytes);

  /**
   * Returns how many bytes to ask for at once, a power of two. Memory that is backed at once should
   * be asked for in small pieces.
   */
  int chunkBytes();

  /**
   * Returns how many bytes can be given back together, a power of two and at most {@link
   * #chunkBytes}.
   */
  int pageBytes();

  /**
   * Takes back the real memory behind {@code memory}, which is a page of what {@link #allocate} has
   * returned, or all of it, and leaves its contents undefined.
   */
  void discard(ByteBuffer memory);

  /**
   * Puts real memory behind all of {@code memory}, a page of what {@link #allocate} has returned,
   * and leaves its contents alone; does nothing where that is not possible.
   */
  default void populate(ByteBuffer memory) {}
}
