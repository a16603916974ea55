/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread;

import dev.pread.cache.MemorySource;
import dev.pread.cache.SlotCache;
import dev.pread.posix.Backend;
import dev.pread.posix.Backends;
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
 * <p><b>Ownership.</b> Whoever makes it closes it, after its directories or before: inputs that are
 * open then go on, and read their files without it. The memory is asked of the system when it is
 * first needed, in huge pages where the kernel grants them, and given back by {@link #close}.
 *
 * <p><b>Without one of their own</b> directories share one per kind in the process: see {@link
 * PreadConfig#cache}.
 *
 * <p><b>Thread-safety.</b> Safe for any number of threads. A hit takes no lock and makes no system
 * call; nothing that a reader holds keeps a block where it is.
 *
 * <p><b>What happens inside</b> is in {@link #stats}, and in JFR as {@code dev.pread.BlockMiss},
 * {@code dev.pread.BlockEntry} and {@code dev.pread.BlockEviction}.
 */
public final class BlockCache implements Closeable {

  /** Bytes of a block where nothing else is said. */
  public static final int DEFAULT_BLOCK_SIZE = 16 << 10;

  private static final int MIN_BLOCK_SIZE = 4 << 10;
  private static final int MAX_BLOCK_SIZE = 64 << 10;

  /** The most a direct buffer can be as a power of two. */
  private static final int LAZY_CHUNK = 1 << 30;

  /** Where memory is taken at once, it is taken as it is needed. */
  private static final int EAGER_CHUNK = 16 << 20;

  /** What slots are counted with. */
  private static final long MAX_BLOCKS = Integer.MAX_VALUE;

  private final long size;
  private final SlotCache slots;

  /**
   * With the default block size.
   *
   * @param size bytes; 0 for no cache at all
   * @throws IllegalArgumentException if it is negative, less than a block, or more memory than
   *     there is
   */
  public BlockCache(long size) {
    this(size, DEFAULT_BLOCK_SIZE);
  }

  /**
   * With blocks of another size: what a miss reads once the cache is full.
   *
   * @param size bytes; 0 for no cache at all
   * @param blockSize bytes, a power of two from 4 KiB to 64 KiB
   * @throws IllegalArgumentException if one is outside of what is allowed
   */
  public BlockCache(long size, int blockSize) {
    this(check(size, blockSize), Integer.numberOfTrailingZeros(blockSize), memory());
  }

  /** For tests, with blocks of any size. */
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

  /** What to use instead of that block size; null if it can be used. */
  static String refusalOfBlockSize(int blockSize) {
    boolean allowed =
        blockSize >= MIN_BLOCK_SIZE
            && blockSize <= MAX_BLOCK_SIZE
            && Integer.bitCount(blockSize) == 1;
    return allowed
        ? null
        : "use a power of two from " + MIN_BLOCK_SIZE + " to " + MAX_BLOCK_SIZE + " (bytes)";
  }

  /** What to use instead of that size, with blocks of an allowed size; null if it can be used. */
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
   * Returns the bytes of the cache that the {@link PreadDirectory}s of a process share where
   * nothing else is said: an eighth of the memory that the heap leaves, and from 8 MiB to 1 GiB.
   *
   * @param memory bytes that the process may use; 0 or less where that is not known
   * @param heap bytes of its heap, fully grown
   */
  public static long defaultSize(long memory, long heap) {
    return DefaultCaches.buffered(memory, heap);
  }

  /** Memory of the best backend there is. */
  static MemorySource memory() {
    return memory(Backends.choose(Backends.AUTO));
  }

  static MemorySource memory(Backend backend) {
    return new MemorySource() {
      @Override
      public ByteBuffer allocate(int bytes) {
        return backend.posix().map(bytes);
      }

      @Override
      public int chunkBytes() {
        return backend.posix().mapIsLazy() ? LAZY_CHUNK : EAGER_CHUNK;
      }

      @Override
      public void discard(ByteBuffer memory) {
        // Where it can't be done, the collector gives the memory back some time later.
        backend.posix().discard(memory);
      }
    };
  }

  /** Bytes of memory for blocks, at most. */
  public long size() {
    return size;
  }

  /** Bytes of a block; 0 where there are none. */
  public int blockSize() {
    return slots == null ? 0 : slots.blockSize();
  }

  /** Whether {@link #close} has been called. */
  public boolean isClosed() {
    return slots != null && slots.isClosed();
  }

  /** What it has done so far. */
  public CacheStats stats() {
    return slots == null ? CacheStats.NONE : CacheStats.of(slots);
  }

  /** Forgets all blocks and gives the memory back. Harmless when called again. */
  @Override
  public void close() {
    if (slots != null) {
      slots.close();
    }
  }

  /** Null where it has no size. */
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
