/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.Fixtures;
import dev.pread.posix.IoVector;
import dev.pread.posix.NoNativeMemoryError;
import dev.pread.posix.ReadTarget;
import dev.pread.posix.ReadableFile;
import dev.pread.posix.SystemCalls;
import dev.pread.posix.VectorPool;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;

/** Caches and files for the tests of this package: in memory, and countable. */
public final class CacheFixtures {

  private CacheFixtures() {}

  /** Memory of the heap's kind of life, in chunks of a chosen size; fails on demand. */
  public static class TestMemory implements MemorySource {

    private final int chunkBytes;
    private final int pageBytes;
    private final int chunksThereAre;
    final AtomicInteger allocations = new AtomicInteger();
    final AtomicInteger discards = new AtomicInteger();

    /** How many of the allocations that follow find the heap full. */
    final AtomicInteger allocationsToFail = new AtomicInteger();

    /** How many of the discards that follow fail. */
    final AtomicInteger discardsToFail = new AtomicInteger();

    /** How many bytes it was asked to put memory behind at once. */
    final AtomicInteger populated = new AtomicInteger();

    /** How many of these requests fail. */
    final AtomicInteger populatesToFail = new AtomicInteger();

    TestMemory(int chunkBytes, int chunksThereAre) {
      this(chunkBytes, chunkBytes, chunksThereAre);
    }

    /** Has so many chunks. */
    public TestMemory(int chunkBytes, int pageBytes, int chunksThereAre) {
      this.chunkBytes = chunkBytes;
      this.pageBytes = pageBytes;
      this.chunksThereAre = chunksThereAre;
    }

    @Override
    public ByteBuffer allocate(int bytes) {
      if (allocationsToFail.get() > 0) {
        allocationsToFail.decrementAndGet();
        throw new OutOfMemoryError("Java heap space");
      }
      if (allocations.incrementAndGet() > chunksThereAre) {
        throw new NoNativeMemoryError("by script");
      }
      return ByteBuffer.allocateDirect(bytes);
    }

    @Override
    public int chunkBytes() {
      return chunkBytes;
    }

    @Override
    public int pageBytes() {
      return pageBytes;
    }

    /** Makes the loss visible, as the kernel does. */
    @Override
    public void discard(ByteBuffer memory) {
      discards.incrementAndGet();
      if (discardsToFail.get() > 0) {
        discardsToFail.decrementAndGet();
        throw new OutOfMemoryError("by script");
      }
      for (int i = 0; i < memory.capacity(); i++) {
        memory.put(i, (byte) -1);
      }
    }

    @Override
    public void populate(ByteBuffer memory) {
      if (populatesToFail.get() > 0) {
        populatesToFail.decrementAndGet();
        throw new InternalError("by script");
      }
      populated.addAndGet(memory.capacity());
    }
  }

  /** Memory of a backend, which a device can read into. */
  static class NativeMemory implements MemorySource {

    private final SystemCalls calls;
    private final int chunkBytes;
    private final int pageBytes;

    NativeMemory(SystemCalls calls, int chunkBytes, int pageBytes) {
      this.calls = calls;
      this.chunkBytes = chunkBytes;
      this.pageBytes = pageBytes;
    }

    @Override
    public ByteBuffer allocate(int bytes) {
      return calls.map(bytes);
    }

    @Override
    public int chunkBytes() {
      return chunkBytes;
    }

    @Override
    public int pageBytes() {
      return pageBytes;
    }

    @Override
    public void discard(ByteBuffer memory) {
      assertEquals(0, calls.discard(memory));
    }

    @Override
    public void populate(ByteBuffer memory) {
      calls.populate(memory);
    }
  }

  /** Returns a cache of {@code blocks} blocks, all in one chunk. */
  static SlotCache cache(int blocks, int blockBits) {
    return new SlotCache(
        (long) blocks << blockBits, blockBits, new TestMemory(1 << 20, Integer.MAX_VALUE));
  }

  /** Returns what byte {@code position} of file {@code id} is. */
  public static byte byteOf(int id, long position) {
    return (byte) (id * 31L + position * 7 + (position >> 8));
  }

  /** Returns what {@code count} bytes of file {@code id} are. */
  static byte[] bytesOf(int id, long position, int count) {
    byte[] bytes = new byte[count];
    for (int i = 0; i < count; i++) {
      bytes[i] = byteOf(id, position + i);
    }
    return bytes;
  }

  /** What a read of a file does that a test makes up. */
  @FunctionalInterface
  interface Read {
    void read(long position, int length, IoVector memory) throws IOException;
  }

  /** Returns a file that {@code read} makes up. */
  static ReadableFile file(Read read) {
    return new ReadableFile() {
      @Override
      public VectorPool vectors() {
        return Fixtures.backend().vectors();
      }

      @Override
      public int readFully(long position, ReadTarget target, int atLeast, int room)
          throws IOException {
        read.read(position, atLeast, (IoVector) target);
        return atLeast;
      }
    };
  }

  /** A file that is made up as it is read. */
  public static final class TestSource implements ReadableFile {

    private final int id;
    private final long length;
    final AtomicInteger reads = new AtomicInteger();

    /** Reads that touch the byte at this position fail. */
    volatile long broken = -1;

    /** Run before each read. */
    volatile Runnable before = () -> {};

    /** Makes up file {@code id}. */
    public TestSource(int id, long length) {
      this.id = id;
      this.length = length;
    }

    @Override
    public boolean mayWait(long position) {
      return false;
    }

    @Override
    public VectorPool vectors() {
      return Fixtures.backend().vectors();
    }

    @Override
    public int readFully(long position, ReadTarget target, int count, int room) throws IOException {
      IoVector vector = (IoVector) target;
      reads.incrementAndGet();
      before.run();
      if (broken >= position && broken < position + count) {
        throw new IOException("broken at " + broken);
      }
      if (position + count > length) {
        throw new EOFException("past " + length);
      }
      int done = 0;
      while (vector.size() > 0 && done < count) {
        int first = vector.first();
        int here = Math.min(vector.length(first), count - done);
        for (int j = 0; j < here; j++) {
          vector.memory(first).put(vector.offset(first) + j, byteOf(id, position + done + j));
        }
        vector.skip(here);
        done += here;
      }
      if (done != count) {
        throw new AssertionError("room for " + done + " of " + count);
      }
      return done;
    }
  }

  /** Loads a block and returns its slot, which must have it. */
  static Slot load(CachedFile file, int block, ReadableFile source) throws IOException {
    Slot slot = file.load(block, 1, source);
    if (slot == null || !file.isIn(slot, slot.acquire(), block)) {
      throw new AssertionError("block " + block + " of " + file + " is not in " + slot);
    }
    return slot;
  }

  /** Loads blocks one after another. */
  static void load(CachedFile file, int first, int end, ReadableFile source) throws IOException {
    for (int block = first; block < end; block++) {
      load(file, block, source);
    }
  }

  /** Returns whether a block is in the cache just now. */
  static boolean has(CachedFile file, int block) {
    Slot slot = file.find(block);
    return slot != null && file.isIn(slot, slot.acquire(), block);
  }

  /** Loads all of a file, which must then lie in one piece. */
  static Extent complete(CachedFile file, ReadableFile source) throws IOException {
    file.loadAll(source);
    Extent extent = file.extent(0);
    assertTrue(Guard.isStable(extent.acquire()), "complete");
    assertFalse(extent.isPending());
    return extent;
  }

  /** Makes a view of an extent, or finds the one there is; puts what releases it into an array. */
  static Object view(Extent extent, Runnable[] releases) {
    return extent.view(
        (chunk, base, size, release) -> {
          releases[0] = release;
          return new Object();
        });
  }

  /** Makes a view of an extent, or finds the one there is, and forgets what releases it. */
  static Object view(Extent extent) {
    return view(extent, new Runnable[1]);
  }

  /** Checks the first 64 bytes of each block of file {@code id}, all of which must be there. */
  static void check(CachedFile file, int id, int blocks) {
    for (int block = 0; block < blocks; block++) {
      byte[] bytes = new byte[64];
      long start = (long) block << file.cache().blockBits();
      assertEquals(64, file.copy(start, bytes, 0, 64), "block " + block);
      for (int i = 0; i < 64; i++) {
        assertEquals(byteOf(id, start + i), bytes[i], "block " + block);
      }
    }
  }
}
