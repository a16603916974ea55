/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread;

import dev.pread.cache.MemorySource;
import dev.pread.posix.Backend;
import java.nio.ByteBuffer;

/** The memory that a backend maps. */
record BackendMemory(Backend backend) implements MemorySource {

  /** How much memory is given back at once: a huge page of 2 MiB need not be split then. */
  static final int PAGE = 2 << 20;

  /**
   * The size of a chunk if memory is backed when it is first used: the largest power of two that a
   * direct buffer can have.
   */
  private static final int LAZY_CHUNK = 1 << 30;

  /**
   * The size of a chunk if memory is backed at once. It is small, so that memory is taken as it is
   * needed.
   */
  private static final int EAGER_CHUNK = 16 << 20;

  @Override
  public ByteBuffer allocate(int bytes) {
    return backend.calls().map(bytes);
  }

  @Override
  public int chunkBytes() {
    return backend.calls().mapIsLazy() ? LAZY_CHUNK : EAGER_CHUNK;
  }

  @Override
  public int pageBytes() {
    return PAGE;
  }

  @Override
  public void discard(ByteBuffer memory) {
    // Where this is not possible, the collector gives the memory back some time later.
    backend.calls().discard(memory);
  }

  @Override
  public void populate(ByteBuffer memory) {
    // Where this is not possible, memory comes as it is touched.
    backend.calls().populate(memory);
  }
}
