/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;

/** Memory for small caches, and files in it. */
final class StressMemory implements MemorySource {

  /** Bytes of a block as a power of two. */
  static final int BITS = 3;

  static final int BLOCK = 1 << BITS;

  private StressMemory() {}

  static SlotCache cache(int blocks) {
    return new SlotCache((long) blocks << BITS, BITS, new StressMemory());
  }

  /** A source whose longs are all {@code value}. */
  static BlockSource source(long value) {
    return (position, length, target) -> {
      for (int i = 0; i < target.size(); i++) {
        for (int at = 0; at < target.length(i); at += BLOCK) {
          target.memory(i).putLong(target.offset(i) + at, value);
        }
      }
    };
  }

  /** {@link CachedFile#load} for actors, which may not throw. */
  static Slot load(CachedFile file, int block, int count, BlockSource source) {
    try {
      return file.load(block, count, source);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public ByteBuffer allocate(int bytes) {
    return ByteBuffer.allocateDirect(bytes);
  }

  @Override
  public int chunkBytes() {
    return 1 << 12;
  }

  @Override
  public void discard(ByteBuffer memory) {
    for (int i = 0; i < memory.capacity(); i++) {
      memory.put(i, (byte) 0);
    }
  }
}
