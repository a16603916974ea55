/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread;

import dev.pread.cache.MemorySource;
import dev.pread.cache.SlotCache;
import dev.pread.memory.ElasticCache;
import dev.pread.memory.MemoryGovernor;
import dev.pread.posix.Backend;
import dev.pread.posix.BackendRegistry;
import dev.pread.posix.ProcessLimits;
import dev.pread.posix.ReadQueue;
import dev.pread.warm.HotList;
import java.io.Closeable;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import org.apache.lucene.util.Unwrappable;

/**
 * Native memory for blocks of files, shared by any number of directories.
 *
 * <pre>{@code
 * try (BlockCache cache = new BlockCache()) {
 *   PreadConfig config = PreadConfig.builder().cache(cache).build();
 *   Directory directory = new DirectPreadDirectory(path, FSLockFactory.getDefault(), config);
 * }
 * }</pre>
 *
 * <p><b>Size.</b> A cache that is made without a size, or by {@link #builder}, is elastic: it takes
 * the memory that nobody else wants, and gives it back when the heap of this process or a neighbour
 * within the container's limit wants it, or when nothing has been in it for a while. One that is
 * made with a size keeps it for life. Where memory can't be given back (the {@code channel}
 * backend, sandboxes without {@code madvise}) or the limit is not known, all caches keep their
 * size: by default an eighth of the memory that the heap leaves, from 8 MiB to 1 GiB, or with the
 * {@code channel} backend a quarter of what direct buffers may have if that is less, and within the
 * builder's bounds. If the JVM does not know how much memory there is, or if there may be a limit
 * that can't be read, it is 64 MiB, or the builder's {@code max} if that is less, and a WARNING
 * says which file could not be read.
 *
 * <p><b>Restarts.</b> A cache can write down which blocks it has, and read them in the background
 * after the next start: see {@link Builder#hotList}.
 *
 * <p><b>Ownership.</b> Whoever creates a cache closes it, after its directories or before. If it is
 * closed before them, inputs that are open go on and read their files without it. The memory is
 * requested from the system when it is first needed, in huge pages of 2 MiB where the kernel grants
 * them, and {@link #close} gives it back.
 *
 * <p><b>Without one of their own</b> directories share one per kind in the process: see {@link
 * PreadConfig#cache}.
 *
 * <p><b>Thread-safety.</b> A cache is safe for any number of threads. A hit takes no lock, pins
 * nothing and makes no system call.
 *
 * <p><b>What happens inside</b> is shown by {@link #stats}, and in JFR by {@code
 * dev.pread.BlockMiss}, {@code dev.pread.BlockEntry}, {@code dev.pread.BlockEviction} and {@code
 * dev.pread.MemoryReturn}.
 */
public final class BlockCache implements Closeable {

  /** The block size in bytes where none is given. */
  public static final int DEFAULT_BLOCK_SIZE = 16 << 10;

  /** The smallest block size in bytes. */
  public static final int MIN_BLOCK_SIZE = 4 << 10;

  /** The largest block size in bytes. */
  public static final int MAX_BLOCK_SIZE = 64 << 10;

  /** The default of {@link Builder#queueDepth}. */
  public static final int DEFAULT_QUEUE_DEPTH = ReadQueue.DEFAULT_DEPTH;

  /** The largest {@link Builder#queueDepth}. */
  public static final int MAX_QUEUE_DEPTH = ReadQueue.MAX_DEPTH;

  /** The size it was given, if it was. */
  private final long fixedSize;

  private final SlotCache slots;

  /** What makes it larger and smaller, or null if its size is fixed. */
  private final ElasticCache elastic;

  /** What keeps its hot blocks on disk, or null. */
  private final HotList hotList;

  /** Creates an elastic cache with the default block size. */
  public BlockCache() {
    this(builder());
  }

  private BlockCache(Builder builder) {
    Backend backend = BackendRegistry.choose(BackendRegistry.AUTO);
    MemorySource memory = new BackendMemory(backend);
    int blockBits = Integer.numberOfTrailingZeros(builder.blockSize);
    long most = Math.min(builder.max, CacheSizes.mostForHeap(builder.blockSize));
    MemoryGovernor governor = MemoryGovernor.ofProcess();
    boolean mayBeElastic = builder.size < 0 && tryDiscard(backend);
    MemoryGovernor.Limits limits = mayBeElastic ? governor.limits(backend.calls()) : null;
    if (limits == null || limits.tightest() == ProcessLimits.UNKNOWN) {
      String failure = limits == null ? null : limits.failure();
      fixedSize =
          builder.size > 0
              ? CacheSizes.check(builder.size, builder.blockSize)
              : CacheSizes.withoutGovernor(builder.min, most, directMemory(backend), failure);
      CacheSizes.warnOfSmallHeap(fixedSize, builder.blockSize);
      if (builder.size > 0) {
        CacheSizes.warnOfLargeSize(fixedSize, ProcessLimits.memory());
      }
      slots = new SlotCache(fixedSize, fixedSize, blockBits, builder.queueDepth, memory);
      elastic = null;
    } else {
      // The limit may be raised while the process runs, so it does not bound the cache for good.
      most = Math.min(most, limits.loosest());
      // The address space does: how much of it the cache may map is decided here.
      most = Math.min(most, CacheSizes.mostToMap(limits.mappable(), builder.blockSize));
      long likely = Math.min(most, limits.tightest());
      slots = new SlotCache(most, likely, blockBits, builder.queueDepth, memory);
      long min = CacheSizes.safeMin(builder.min, limits.tightest(), slots.size());
      elastic = new ElasticCache(slots, min, slots.size());
      fixedSize = 0;
      governor.add(elastic, backend.calls());
    }
    hotList = builder.hotList == null ? null : HotList.open(builder.hotList, slots, backend);
  }

  /** Returns how many bytes of direct buffers there are for memory that is made of them. */
  private static long directMemory(Backend backend) {
    return backend.calls().mapIsLazy() ? ProcessLimits.UNKNOWN : ProcessLimits.directMemory();
  }

  /** Maps some memory and gives it back, and returns whether the system took it. */
  private static boolean tryDiscard(Backend backend) {
    return backend.calls().discard(backend.calls().map(1)) == 0;
  }

  /** Returns a builder of caches, which are elastic unless it is told a size. */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Creates a cache of a fixed size with the default block size.
   *
   * @param size bytes; 0 for no cache at all
   * @throws IllegalArgumentException if the size is neither 0 nor from one block to the memory that
   *     this process may use
   */
  public BlockCache(long size) {
    this(size, DEFAULT_BLOCK_SIZE);
  }

  /**
   * Creates a cache of a fixed size with blocks of another size. Once the cache is full, a miss
   * reads one block.
   *
   * @param size bytes; 0 for no cache at all
   * @param blockSize bytes, a power of two from 4 KiB to 64 KiB
   * @throws IllegalArgumentException if one of them is outside the allowed range
   */
  public BlockCache(long size, int blockSize) {
    this(
        CacheSizes.check(size, blockSize),
        Integer.numberOfTrailingZeros(blockSize),
        new BackendMemory(BackendRegistry.choose(BackendRegistry.AUTO)));
    CacheSizes.warnOfSmallHeap(size, blockSize);
    CacheSizes.warnOfLargeSize(size, ProcessLimits.memory());
  }

  /** Creates a cache with blocks of any size, for tests. */
  BlockCache(long size, int blockBits, MemorySource memory) {
    this.fixedSize = size;
    this.slots = size == 0 ? null : new SlotCache(size, blockBits, memory);
    this.elastic = null;
    this.hotList = null;
  }

  /**
   * Returns how many bytes of memory the blocks may take just now. The size of an elastic cache
   * changes until it is closed.
   */
  public long size() {
    return elastic == null ? fixedSize : elastic.target();
  }

  /** Returns whether the size changes with the memory that is free. */
  public boolean isElastic() {
    return elastic != null;
  }

  /** Returns the size of a block in bytes, or 0 if there are no blocks. */
  public int blockSize() {
    return slots == null ? 0 : slots.blockSize();
  }

  /** Returns whether {@link #close} has been called; always false for a cache of size 0. */
  public boolean isClosed() {
    return slots != null && slots.isClosed();
  }

  /**
   * Returns what the cache has done so far. Figures are read one after another, so they may
   * disagree slightly while the cache is in use.
   */
  public CacheStats stats() {
    return slots == null ? CacheStats.NONE : CacheStats.of(slots, elastic);
  }

  /** Forgets all blocks and gives the memory back. Calling it again has no effect. */
  @Override
  public void close() {
    try {
      DefaultCaches.forget(this);
    } finally {
      end();
    }
  }

  private void end() {
    try {
      if (hotList != null) {
        hotList.close();
      }
    } finally {
      if (slots != null) {
        slots.close();
      }
      if (elastic != null) {
        MemoryGovernor.ofProcess().closed();
      }
    }
  }

  /** Returns the slots, or null if the size of the cache is 0. */
  SlotCache slots() {
    return slots;
  }

  @Override
  public String toString() {
    return "BlockCache(size="
        + size()
        + (isElastic() ? ", elastic" : "")
        + ", blockSize="
        + blockSize()
        + (slots == null ? "" : readAhead())
        + (isClosed() ? ", closed)" : ")");
  }

  private String readAhead() {
    return ", queueDepth=" + slots.queues().depth() + ", prefetch=" + stats().prefetchEngine();
  }

  /** Builds caches, which are elastic unless they are given a size. It is not thread-safe. */
  public static final class Builder {

    /** What was set, or a negative number. */
    private long min = -1;

    private long max = Long.MAX_VALUE;
    private long size = -1;
    private int blockSize = DEFAULT_BLOCK_SIZE;
    private int queueDepth = DEFAULT_QUEUE_DEPTH;
    private Path hotList;

    private Builder() {}

    /**
     * Sets the size below which the cache never shrinks. It is rounded up to a multiple of 2 MiB.
     * If it is more than half of what the heap leaves, it is reduced to that, with a warning in the
     * log. If nobody knows how much memory there is, it does not count.
     *
     * @param bytes at least 0; the default is 8 MiB, or {@link #max} if that is less
     */
    public Builder min(long bytes) {
      min = checkNotNegative("min", bytes);
      return this;
    }

    /**
     * Sets how much memory the cache has at most.
     *
     * @param bytes 0 for no cache at all, or at least a block; by default, and whatever is set,
     *     limited by bookkeeping: about 80 heap bytes per block, at most an eighth of the heap; and
     *     to a third of the address space that is left ({@code ulimit -v}, {@code -d})
     */
    public Builder max(long bytes) {
      max = checkNotNegative("max", bytes);
      return this;
    }

    private static long checkNotNegative(String name, long bytes) {
      if (bytes < 0) {
        throw new IllegalArgumentException(
            "BlockCache." + name + " is " + bytes + ": use 0 or more bytes");
      }
      return bytes;
    }

    /**
     * Gives the cache a fixed size, instead of one between {@link #min} and {@link #max}: these are
     * still checked, but have no effect.
     *
     * @param bytes 0 for no cache at all
     */
    public Builder size(long bytes) {
      size = checkNotNegative("size", bytes);
      return this;
    }

    /**
     * Has the cache write down which blocks it has, and read them again after a restart. By default
     * it does neither.
     *
     * <p>The list is read when the cache is made, and written when it is closed and every five
     * minutes. When one of its files is opened, the blocks that it had are read in the background,
     * by two threads that give way to readers, as long as the cache has unused room. The list holds
     * no contents of files: one that is too old, or of other files, costs a few reads at most. If
     * it can't be read or written, the cache goes on without it, and the log says so once.
     *
     * <p>Nothing is listed with the {@code channel} backend, which can't tell whether two names are
     * one file.
     *
     * @param folder a folder of the default file system, which is made if it is not there. It is
     *     for one cache at a time: a second one, in this process or another, leaves it alone, says
     *     so in the log, and starts cold
     */
    public Builder hotList(Path folder) {
      Path path = Unwrappable.unwrapAll(folder);
      if (!path.getFileSystem().equals(FileSystems.getDefault())) {
        throw new IllegalArgumentException(
            "a list of hot blocks can't be kept in another file system than the default one: name a"
                + " folder there: "
                + folder);
      }
      hotList = path;
      return this;
    }

    /**
     * Sets the block size.
     *
     * @param bytes a power of two from 4 KiB to 64 KiB
     */
    public Builder blockSize(int bytes) {
      blockSize = CacheSizes.checkBlockSize(bytes);
      return this;
    }

    /**
     * Sets how many prefetches with direct I/O may be in flight in each of the cache's queues. The
     * cache opens these when they are first needed, up to eight for each processor, from 8 to 32,
     * and closes them. The default is {@value BlockCache#DEFAULT_QUEUE_DEPTH}. What a queue has no
     * room for is left to threads, and so is everything where the system has no queues.
     *
     * @param reads from 1 to {@value BlockCache#MAX_QUEUE_DEPTH}; each queue takes as many of
     *     {@code fs.aio-max-nr}, so that with 1024, 32 queues take half of Linux's default of
     *     65,536. With 0 there is no queue, so that up to 16 threads of the cache prefetch, and
     *     always whole blocks
     */
    public Builder queueDepth(int reads) {
      CacheSizes.require(
          "BlockCache.queueDepth is " + reads, CacheSizes.refusalOfQueueDepth(reads));
      queueDepth = reads;
      return this;
    }

    /**
     * Makes the cache.
     *
     * @throws IllegalArgumentException if {@link #min} exceeds {@link #max}, if {@code max} is less
     *     than a block and not 0, or if {@link #size} is neither 0 nor from one block to the memory
     *     that this process may use
     */
    public BlockCache build() {
      if (max != 0 && max < blockSize) {
        throw new IllegalArgumentException(
            "BlockCache.max is "
                + max
                + ": use 0 for no cache, or at least "
                + blockSize
                + " bytes (one block)");
      }
      if (min > max) {
        throw new IllegalArgumentException(
            "BlockCache.min is " + min + " and exceeds max, which is " + max + ": use less");
      }
      return size == 0 || (size < 0 && max == 0) ? new BlockCache(0) : new BlockCache(this);
    }
  }
}
