/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import dev.pread.posix.BackendRegistry;
import dev.pread.posix.IoVector;
import dev.pread.posix.ReadTarget;
import dev.pread.posix.ReadableFile;
import dev.pread.posix.VectorPool;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;

/** Memory for small caches, and files in it. */
final class StressMemory implements MemorySource {

  /** Bytes of a block as a power of two. */
  static final int BITS = 3;

  static final int BLOCK = 1 << BITS;

  /** How many blocks a page has that can be given back. */
  static final int PAGE_BLOCKS = 8;

  private StressMemory() {}

  static SlotCache cache(int blocks) {
    return new SlotCache((long) blocks << BITS, BITS, new StressMemory());
  }

  /** A source whose longs are all {@code value}. */
  static ReadableFile source(long value) {
    return source(value, () -> {});
  }

  /** A source whose longs are all {@code value}, which runs {@code before} before each read. */
  static ReadableFile source(long value, Runnable before) {
    return new ReadableFile() {
      @Override
      public VectorPool vectors() {
        return BackendRegistry.get(BackendRegistry.AUTO).vectors();
      }

      @Override
      public int readFully(long position, ReadTarget target, int atLeast, int room) {
        before.run();
        IoVector vector = (IoVector) target;
        for (int i = vector.first(); i < vector.first() + vector.size(); i++) {
          for (int at = 0; at < vector.length(i); at += BLOCK) {
            vector.memory(i).putLong(vector.offset(i) + at, value);
          }
        }
        return room;
      }
    };
  }

  /** {@link CachedFile#load} for actors, which may not throw. */
  static Slot load(CachedFile file, int block, int count, ReadableFile source) {
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
  public int pageBytes() {
    return PAGE_BLOCKS * BLOCK;
  }

  @Override
  public void discard(ByteBuffer memory) {
    for (int i = 0; i < memory.capacity(); i++) {
      memory.put(i, (byte) 0);
    }
  }
}
