/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread;

import dev.pread.cache.MemorySource;
import dev.pread.cache.SlotCache;
import dev.pread.posix.Backend;
import dev.pread.posix.BackendRegistry;
import java.io.Closeable;
import java.nio.ByteBuffer;

/**
 * A fixed amount of native memory for blocks of files, shared by any number of directories.
 *
 * <pre>{@code
 * try (BlockCache cache = new BlockCache(4L << 30)) {
 *   PreadConfig config = PreadConfig.builder().cache(cache).build();
 *   Directory directory = new DirectPreadDirectory(path, FSLockFactory.getDefault(), config);
 * }
 * }</pre>
 *
 * <p><b>Ownership.</b> Whoever creates a cache closes it, after its directories or before. If it is
 * closed before them, inputs that are open go on and read their files without it. The memory is
 * requested from the system when it is first needed, in huge pages where the kernel grants them,
 * and {@link #close} gives it back.
 *
 * <p><b>Without one of their own</b> directories share one per kind in the process: see {@link
 * PreadConfig#cache}.
 *
 * <p><b>Thread-safety.</b> A cache is safe for any number of threads. A hit takes no lock and makes
 * no system call, and nothing that a reader holds keeps a block where it is.
 *
 * <p><b>What happens inside</b> is shown by {@link #stats}, and in JFR by {@code
 * dev.pread.BlockMiss}, {@code dev.pread.BlockEntry} and {@code dev.pread.BlockEviction}.
 */
public final class BlockCache implements Closeable {

  /** The block size in bytes where none is given. */
  public static final int DEFAULT_BLOCK_SIZE = 16 << 10;

  /** The smallest block size in bytes. */
  public static final int MIN_BLOCK_SIZE = 4 << 10;

  /** The largest block size in bytes. */
  public static final int MAX_BLOCK_SIZE = 64 << 10;

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

  /** The largest number of blocks, since slots are counted with an {@code int}. */
  private static final long MAX_BLOCKS = Integer.MAX_VALUE;

  private final long size;
  private final SlotCache slots;

  /**
   * Creates a cache with the default block size.
   *
   * @param size bytes; 0 for no cache at all
   * @throws IllegalArgumentException if the size is negative, less than a block, or more memory
   *     than there is
   */
  public BlockCache(long size) {
    this(size, DEFAULT_BLOCK_SIZE);
  }

  /**
   * Creates a cache with blocks of another size. Once the cache is full, a miss reads one block.
   *
   * @param size bytes; 0 for no cache at all
   * @param blockSize bytes, a power of two from 4 KiB to 64 KiB
   * @throws IllegalArgumentException if one of them is outside the allowed range
   */
  public BlockCache(long size, int blockSize) {
    this(check(size, blockSize), Integer.numberOfTrailingZeros(blockSize), memory());
  }

  /** Creates a cache with blocks of any size, for tests. */
  BlockCache(long size, int blockBits, MemorySource memory) {
    this.size = size;
    this.slots = size == 0 ? null : new SlotCache(size, blockBits, memory);
  }

  private static long check(long size, int blockSize) {
    String refusal = refusalOfBlockSize(blockSize);
    if (refusal != null) {
      throw new IllegalArgumentException("BlockCache.blockSize is " + blockSize + ": " + refusal);
    }
    refusal = refusalOfSize(size, blockSize);
    if (refusal != null) {
      throw new IllegalArgumentException("BlockCache.size is " + size + ": " + refusal);
    }
    return size;
  }

  /** Returns what to use instead of that block size, or null if it can be used. */
  static String refusalOfBlockSize(int blockSize) {
    boolean allowed =
        blockSize >= MIN_BLOCK_SIZE
            && blockSize <= MAX_BLOCK_SIZE
            && Integer.bitCount(blockSize) == 1;
    return allowed
        ? null
        : "use a power of two from " + MIN_BLOCK_SIZE + " to " + MAX_BLOCK_SIZE + " (bytes)";
  }

  /**
   * Returns what to use instead of that size, with blocks of an allowed size, or null if it can be
   * used.
   */
  static String refusalOfSize(long size, int blockSize) {
    long most = Math.min(MemoryLimit.bytes(), MAX_BLOCKS * blockSize);
    return size == 0 || (size >= blockSize && size <= most)
        ? null
        : "use 0 for no cache, or from "
            + blockSize
            + " (one block) to "
            + most
            + " bytes, the memory this process may use; the heap (-Xmx) needs its part of it";
  }

  /**
   * Returns the size in bytes of the cache that the {@link PreadDirectory}s of a process share
   * where nothing else is configured: an eighth of the memory that the heap leaves, and from 8 MiB
   * to 1 GiB.
   *
   * @param memory bytes that the process may use; 0 or less where that is not known
   * @param heap bytes of its heap, fully grown
   */
  public static long defaultSize(long memory, long heap) {
    return DefaultCaches.buffered(memory, heap);
  }

  /** Returns the memory of the best available backend. */
  static MemorySource memory() {
    return memory(BackendRegistry.choose(BackendRegistry.AUTO));
  }

  static MemorySource memory(Backend backend) {
    return new MemorySource() {
      @Override
      public ByteBuffer allocate(int bytes) {
        return backend.calls().map(bytes);
      }

      @Override
      public int chunkBytes() {
        return backend.calls().mapIsLazy() ? LAZY_CHUNK : EAGER_CHUNK;
      }

      @Override
      public void discard(ByteBuffer memory) {
        // Where this is not possible, the collector gives the memory back some time later.
        backend.calls().discard(memory);
      }
    };
  }

  /** Returns how many bytes of memory the blocks may take at most. */
  public long size() {
    return size;
  }

  /** Returns the size of a block in bytes, or 0 if there are no blocks. */
  public int blockSize() {
    return slots == null ? 0 : slots.blockSize();
  }

  /** Returns whether {@link #close} has been called. */
  public boolean isClosed() {
    return slots != null && slots.isClosed();
  }

  /** Returns what the cache has done so far. */
  public CacheStats stats() {
    return slots == null ? CacheStats.NONE : CacheStats.of(slots);
  }

  /** Forgets all blocks and gives the memory back. Calling it again has no effect. */
  @Override
  public void close() {
    if (slots != null) {
      slots.close();
    }
  }

  /** Returns the slots, or null if the size of the cache is 0. */
  SlotCache slots() {
    return slots;
  }

  @Override
  public String toString() {
    return "BlockCache(size="
        + size
        + ", blockSize="
        + blockSize()
        + (isClosed() ? ", closed)" : ")");
  }
}
