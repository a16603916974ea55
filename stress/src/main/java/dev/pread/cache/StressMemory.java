/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import dev.pread.posix.BackendRegistry;
import dev.pread.posix.IoVector;
import dev.pread.posix.ReadTarget;
import dev.pread.posix.ReadableFile;
import dev.pread.posix.VectorPool;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;

/** Memory for small caches, and files in it. */
final class StressMemory implements MemorySource {

  /** Bytes of a block as a power of two. */
  static final int BITS = 3;

  static final int BLOCK = 1 << BITS;

  /** How many blocks a page has that can be given back. */
  static final int PAGE_BLOCKS = 8;

  /** A number of waits that is far larger than that of reads. */
  private static final int MAX_WAITS = 1000;

  StressMemory() {}

  static SlotCache cache(int blocks) {
    return new SlotCache((long) blocks << BITS, BITS, new StressMemory());
  }

  /** Returns a source whose longs are all {@code value}. */
  static ReadableFile source(long value) {
    return source(value, () -> {});
  }

  /**
   * Returns a source whose longs are all {@code value}, which runs {@code before} before each read.
   */
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

  /** Returns what is in the memory of a slot, whoever has it. */
  static long value(SlotCache cache, Slot slot) {
    return cache.chunk(slot).bytes().getLong(cache.offset(slot));
  }

  /** Reads as readers do: returns what was in a slot under that version, or -1 to look again. */
  static long read(SlotCache cache, Slot slot, long version) {
    long value = value(cache, slot);
    VarHandle.loadLoadFence();
    return slot.is(version) ? value : -1;
  }

  /** Brings a block in and reads it; returns -1 to look again, or if it could not be had. */
  static long loadAndRead(CachedFile file, int block, ReadableFile source) {
    Slot slot = load(file, block, 1, source);
    long version = slot == null ? 1 : slot.acquire();
    return slot != null && file.isIn(slot, version, block) ? read(file.cache(), slot, version) : -1;
  }

  /** Waits for the device to end all reads, and fails if it never does. */
  static void settle(SlotCache cache) {
    for (int i = 0; cache.queues().isBusy(); i++) {
      if (i == MAX_WAITS) {
        throw new AssertionError("a read that has begun does not end");
      }
      cache.queues().awaitOne();
    }
  }

  /**
   * Takes all slots of a cache, all of whose files are closed, and returns whether they are exactly
   * that many, each once. The cache can't be used afterwards.
   */
  static boolean takeAllSlots(SlotCache cache, int slots) {
    boolean all = cache.counters().sum(Counter.BLOCKS) == 0;
    CachedFile[] files = new CachedFile[slots];
    for (int i = 0; i < slots; i++) {
      files[i] = cache.files().open(null, "s" + i, BLOCK);
      all &= load(files[i], 0, 1, source(i)) != null;
    }
    for (int i = 0; i < slots && all; i++) {
      Slot slot = files[i].find(0);
      all = slot != null && value(cache, slot) == i;
    }
    return all
        && cache.counters().sum(Counter.BLOCKS) == slots
        && cache.obtainUnused(null, 0, true) == null;
  }

  /**
   * Returns how many blocks a cache of one slot has, or -1 if the slot can't be had once its only
   * file is closed, which this closes.
   */
  static int blocksBeforeClose(CachedFile file) {
    int blocks = (int) file.cache().counters().sum(Counter.BLOCKS);
    file.close();
    CachedFile other = file.cache().files().open(null, "g", BLOCK);
    return load(other, 0, 1, source(2)) == null ? -1 : blocks;
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
