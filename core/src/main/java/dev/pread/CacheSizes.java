/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread;

import dev.pread.posix.ProcessLimits;
import dev.pread.posix.QuietLog;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;

/**
 * How large a cache may be, and how large one is that was given no size. It warns in the name of
 * {@link BlockCache}, which is the class that users know.
 */
final class CacheSizes {

  private static final Logger LOGGER = System.getLogger(BlockCache.class.getName());

  /**
   * The largest number of blocks: slots are counted with an {@code int}, and rounded up to a page,
   * which has 512 of them at most.
   */
  private static final long MAX_BLOCKS = Integer.MAX_VALUE - 511;

  /** The smallest size of an elastic cache that was not given one. */
  private static final long DEFAULT_MIN = 8L << 20;

  /**
   * The part of the memory beside the heap that a cache has if it can't be elastic, as a divisor.
   */
  private static final int DEFAULT_PART = 8;

  /**
   * The largest size of such a cache. What does not fit is in the page cache, so that more memory
   * is seldom better spent here.
   */
  private static final long LARGEST_DEFAULT = 1L << 30;

  /** The size of such a cache where the memory of the machine is not known. */
  private static final long SIZE_IN_UNKNOWN_MEMORY = 64L << 20;

  /**
   * The approximate number of bytes of the heap that a block takes while it is in the cache: its
   * slot, its part of its file's table, and the memory of blocks that have left.
   */
  private static final int HEAP_BYTES_PER_BLOCK = 80;

  /** The part of the heap that an elastic cache may take for its blocks, as a divisor. */
  private static final int HEAP_PART = 8;

  /**
   * The part of the memory of direct buffers that a cache takes without being told, as a divisor.
   */
  private static final int DIRECT_PART = 4;

  /**
   * The part of the address space that is left that a cache may take, as a divisor: a process may
   * have two of them.
   */
  private static final int ADDRESS_SPACE_PART = 3;

  private CacheSizes() {}

  // ---- what is refused ----

  /**
   * Returns the size.
   *
   * @throws IllegalArgumentException if it can't be used, or blocks of that size can't
   */
  static long check(long size, int blockSize) {
    require("BlockCache.size is " + size, refusalOfSize(size, checkBlockSize(blockSize)));
    return size;
  }

  /**
   * Returns the block size.
   *
   * @throws IllegalArgumentException if it can't be used
   */
  static int checkBlockSize(int blockSize) {
    require("BlockCache.blockSize is " + blockSize, refusalOfBlockSize(blockSize));
    return blockSize;
  }

  /**
   * Throws an {@code IllegalArgumentException} if a setting is refused.
   *
   * @param setting its name and its value
   * @param refusal what to use instead, or null
   */
  static void require(String setting, String refusal) {
    if (refusal != null) {
      throw new IllegalArgumentException(setting + ": " + refusal);
    }
  }

  /** Returns what to use instead of that block size, or null if it can be used. */
  static String refusalOfBlockSize(int blockSize) {
    boolean allowed =
        blockSize >= BlockCache.MIN_BLOCK_SIZE
            && blockSize <= BlockCache.MAX_BLOCK_SIZE
            && Integer.bitCount(blockSize) == 1;
    return allowed
        ? null
        : "use a power of two from "
            + BlockCache.MIN_BLOCK_SIZE
            + " to "
            + BlockCache.MAX_BLOCK_SIZE
            + " (bytes)";
  }

  /** Returns what to use instead of that depth of a queue, or null if it can be used. */
  static String refusalOfQueueDepth(long depth) {
    return depth >= 0 && depth <= BlockCache.MAX_QUEUE_DEPTH
        ? null
        : "use 0 for threads instead of queues, or from 1 to "
            + BlockCache.MAX_QUEUE_DEPTH
            + " reads at the same time";
  }

  /**
   * Returns what to use instead of that size, with blocks of an allowed size, or null if it can be
   * used.
   */
  static String refusalOfSize(long size, int blockSize) {
    long most = Math.min(ProcessLimits.memory(), MAX_BLOCKS * blockSize);
    return size == 0 || (size >= blockSize && size <= most)
        ? null
        : "use 0 for no cache, or from "
            + blockSize
            + " (one block) to "
            + most
            + " bytes, the memory this process may use; the heap (-Xmx) needs its part of it";
  }

  // ---- what is chosen ----

  /** Warns if the heap is too small to keep account of a cache of that size. */
  static void warnOfSmallHeap(long size, int blockSize) {
    long most = mostForHeap(blockSize);
    if (size > most) {
      QuietLog.log(
          LOGGER,
          Level.WARNING,
          null,
          () ->
              "a block cache of "
                  + size
                  + " bytes in blocks of "
                  + blockSize
                  + " takes "
                  + size / blockSize * HEAP_BYTES_PER_BLOCK
                  + " bytes of the heap when it is full; an eighth of it is enough for "
                  + most
                  + " bytes: make the heap (-Xmx) or the blocks larger, or the cache smaller");
    }
  }

  /**
   * Warns if a cache of that size and the heap have more together than this process may use: the
   * kernel ends it some day, when both are full.
   *
   * @param memory bytes that the process may use
   */
  static void warnOfLargeSize(long size, long memory) {
    long heap = Runtime.getRuntime().maxMemory();
    if (size > 0 && size > memory - heap) {
      QuietLog.log(
          LOGGER,
          Level.WARNING,
          null,
          () ->
              "a block cache of "
                  + size
                  + " bytes and a heap of "
                  + heap
                  + " (-Xmx) do not fit into the "
                  + memory
                  + " bytes that this process may use, and it needs some more beside both: the"
                  + " kernel may end it. Make the cache smaller, or leave its size out");
    }
  }

  /** Returns how many bytes of blocks the heap can keep account of. */
  static long mostForHeap(int blockSize) {
    long blocks = Runtime.getRuntime().maxMemory() / HEAP_PART / HEAP_BYTES_PER_BLOCK;
    return Math.min(blocks, MAX_BLOCKS) * blockSize;
  }

  /**
   * Returns how many bytes an elastic cache may take of those that the process may still map: it
   * maps them in large pieces, and the JVM can't do without the rest.
   */
  static long mostToMap(long mappable, int blockSize) {
    return Math.max(blockSize, mappable / ADDRESS_SPACE_PART);
  }

  /**
   * Returns the size in bytes of a cache that was not given one and can't be elastic: an eighth of
   * the memory that the heap leaves, from 8 MiB to 1 GiB, and at most a quarter of what direct
   * buffers may have, since it does not give that back.
   *
   * @param memory bytes that the process may use, or {@link ProcessLimits#UNKNOWN}
   * @param heap bytes of its heap, fully grown
   * @param direct bytes that direct buffers may have, or {@link ProcessLimits#UNKNOWN} where it is
   *     not made of them
   */
  static long defaultSize(long memory, long heap, long direct) {
    long size =
        memory == ProcessLimits.UNKNOWN
            ? SIZE_IN_UNKNOWN_MEMORY
            : Math.clamp((memory - heap) / DEFAULT_PART, DEFAULT_MIN, LARGEST_DEFAULT);
    return Math.min(size, Math.max(BlockCache.MAX_BLOCK_SIZE, direct / DIRECT_PART));
  }

  /**
   * Decides on a size that stays.
   *
   * @param min bytes that were set as the smallest size, or a negative number
   * @param most bytes that it has at most
   * @param direct as in {@link #defaultSize}
   * @param failure why the limit of this process can't be told, or null. What the JVM takes for it
   *     is the machine's memory then, which may be far more
   */
  static long withoutGovernor(long min, long most, long direct, String failure) {
    long size =
        lastingSize(
            min, failure == null ? ProcessLimits.memory() : ProcessLimits.UNKNOWN, most, direct);
    if (failure != null) {
      QuietLog.log(
          LOGGER,
          Level.WARNING,
          null,
          () ->
              "how much memory this process may use can't be told ("
                  + failure
                  + "): a block cache has "
                  + size
                  + " bytes for good; let the file be read, or give the cache a size");
    }
    return size;
  }

  /**
   * Returns the size in bytes of a cache that was not given one and can't be elastic, within its
   * bounds.
   *
   * @param min bytes that were set as the smallest size, or a negative number
   * @param memory bytes that the process may use, or {@link ProcessLimits#UNKNOWN}. Nobody can tell
   *     then whether {@code min} is safe, so it does not count
   * @param most bytes that it has at most
   * @param direct as in {@link #defaultSize}
   */
  static long lastingSize(long min, long memory, long most, long direct) {
    long size = Math.min(defaultSize(memory, Runtime.getRuntime().maxMemory(), direct), most);
    boolean hasMin = min >= 0 && memory != ProcessLimits.UNKNOWN;
    return hasMin ? Math.max(size, safeMin(min, memory, most)) : size;
  }

  /**
   * Returns a smallest size, in whole pages, that fits into the memory beside the heap, and warns
   * if that is not the one that was set.
   *
   * @param min bytes that were set, or a negative number
   */
  static long safeMin(long min, long memory, long most) {
    long beside = Math.max(0, memory - Runtime.getRuntime().maxMemory());
    long safe = Math.min(most, Math.max(DEFAULT_MIN, beside / 2));
    int page = BackendMemory.PAGE;
    long wanted = min < 0 ? DEFAULT_MIN : (Math.min(min, safe) + page - 1) & -page;
    if (min > safe) {
      QuietLog.log(
          LOGGER,
          Level.WARNING,
          null,
          () ->
              "BlockCache.min is "
                  + min
                  + " bytes, of "
                  + memory
                  + " that this process may use: it is taken as "
                  + safe
                  + ", at most half of what the heap (-Xmx) leaves, what it can keep account of, and a"
                  + " third of the address space that was left");
    }
    return Math.min(wanted, safe);
  }
}
