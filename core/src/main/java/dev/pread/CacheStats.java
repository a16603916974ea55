/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread;

import dev.pread.cache.Counter;
import dev.pread.cache.SlotCache;
import dev.pread.memory.ElasticCache;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * A snapshot of what a {@link BlockCache} has done since it was made, and of how full it is. It is
 * immutable. Its figures are read one after another, so they may disagree slightly if the cache is
 * in use meanwhile.
 *
 * <p>A reader looks a block up once and then reads in it, so look-ups are not reads: a file that
 * lies in the cache in one piece is looked up once by each clone. Each look-up is a hit or a miss,
 * and each miss that does not fail is followed by a load, by a wait for another thread's load, or
 * by a bypass. Files that are read once from end to end, as merges read most of theirs, are not
 * looked up.
 *
 * <p>A prefetch is a read of what nobody has missed yet, because of a call of {@code
 * IndexInput.prefetch} or for an input that misses one block after another. It reads blocks into
 * the cache, or a few bytes of a block that a full cache leaves out.
 */
public final class CacheStats {

  /** The statistics of a cache that has no memory. */
  static final CacheStats NONE = new CacheStats(Map.of());

  /** The {@link #prefetchEngine} as long as there has been no prefetch. */
  static final String NO_ENGINE = "none";

  private static final String PREFETCH_QUEUES = "prefetch_queues";
  private static final String CAPACITY = "capacity";
  private static final String SIZE_BYTES = "size_bytes";
  private static final String MEMORY_BYTES = "memory_bytes";
  private static final String GIVEN_BACK_BYTES = "given_back_bytes";
  private static final String MEMORY_LIMIT_BYTES = "memory_limit_bytes";
  private static final String PINNED_BYTES = "pinned_bytes";
  private static final String PINNED_BY_CLOSED_FILES_BYTES = "pinned_by_closed_files_bytes";

  private final Map<String, Long> figures;

  private CacheStats(Map<String, Long> figures) {
    this.figures = Collections.unmodifiableMap(new LinkedHashMap<>(figures));
  }

  static CacheStats of(SlotCache slots, ElasticCache elastic) {
    Map<Counter, Long> sums = new EnumMap<>(Counter.class);
    Counter[] counters = Counter.values();
    // From the last to the first: whatever has come of a read ahead, it is among those issued.
    for (int i = counters.length - 1; i >= 0; i--) {
      sums.put(counters[i], slots.counters().sum(counters[i]));
    }
    Map<String, Long> figures = new LinkedHashMap<>();
    sums.forEach((counter, sum) -> figures.put(counter.figure(), sum));
    figures.put(PREFETCH_QUEUES, (long) slots.queues().count());
    figures.put(CAPACITY, (long) slots.capacity());
    figures.put(SIZE_BYTES, elastic == null ? slots.size() : elastic.target());
    figures.put(MEMORY_BYTES, slots.bytesBacked());
    figures.put(GIVEN_BACK_BYTES, elastic == null ? 0 : elastic.givenBack());
    figures.put(MEMORY_LIMIT_BYTES, elastic == null ? 0 : elastic.memoryLimit());
    figures.put(PINNED_BYTES, slots.pins().count() * slots.blockSize());
    figures.put(PINNED_BY_CLOSED_FILES_BYTES, slots.pins().ofClosedFiles() * slots.blockSize());
    return new CacheStats(figures);
  }

  /**
   * Returns the statistics that {@link #toMap} has turned into {@code figures}, for callers that
   * send statistics elsewhere. A figure that the map lacks is 0; one that this version does not
   * know is kept in the map. There is no builder beside it: a cache makes statistics, and whoever
   * receives them has a map, in which figures have names and later versions can add some.
   *
   * @throws NullPointerException if a figure is null
   */
  public static CacheStats of(Map<String, Long> figures) {
    figures.values().forEach(Objects::requireNonNull);
    return new CacheStats(figures);
  }

  /** Returns all figures by name, in a fixed order. The map is unmodifiable. */
  public Map<String, Long> toMap() {
    return figures;
  }

  private long get(Counter counter) {
    return get(counter.figure());
  }

  private long get(String name) {
    return figures.getOrDefault(name, 0L);
  }

  /** Returns how many look-ups found their block, or a page beside the cache. */
  public long hits() {
    return get(Counter.HITS);
  }

  /** Returns how many look-ups did not find their block. */
  public long misses() {
    return get(Counter.MISSES);
  }

  /** Returns how many reads into the cache were made by threads that had missed a block. */
  public long loads() {
    return get(Counter.LOADS);
  }

  /** Returns how many misses were for a block that another thread was reading or had just read. */
  public long waits() {
    return get(Counter.WAITS);
  }

  /**
   * Returns how many waits ended because they had taken too long; the reader then read by itself.
   */
  public long waitTimeouts() {
    return get(Counter.WAIT_TIMEOUTS);
  }

  /**
   * Returns how many misses were read past the cache, because it had no room, or because they were
   * random reads of a block, or of a part of one, that was not worth a slot yet.
   */
  public long bypasses() {
    return get(Counter.BYPASSES);
  }

  /**
   * Returns how many prefetches were started, including those in flight and those that failed;
   * never less than {@link #prefetches}.
   */
  public long prefetchesIssued() {
    return get(Counter.PREFETCHES_ISSUED);
  }

  /** Returns how many prefetches have completed. */
  public long prefetches() {
    return get(Counter.PREFETCHES);
  }

  /**
   * Returns how many of the {@link #waits} were for a prefetch that was still in flight in one of
   * the {@link #prefetchQueues}. The first block of a batch is usually one of them, and so are the
   * blocks of a scan that is faster than the device.
   */
  public long prefetchesLate() {
    return get(Counter.PREFETCHES_LATE);
  }

  /**
   * Returns how many prefetches were dropped because too many were in flight or the cache had no
   * room, or failed. Only those that failed are also among the {@link #prefetchesIssued}. Blocks
   * that the cache had no room for count one by one, and blocks that were to be read together once.
   */
  public long prefetchesDropped() {
    return get(Counter.PREFETCHES_DROPPED);
  }

  /**
   * Returns how many prefetches were left to the cache's threads: all as long as there is no queue
   * for the file, and afterwards those of blocks that a queue had no room for.
   */
  public long prefetchesByThreads() {
    return get(Counter.PREFETCHES_BY_THREADS);
  }

  /**
   * Returns how many queues of Linux AIO prefetch with direct I/O. They are opened when they are
   * first needed; where the system refuses all of them, threads prefetch instead.
   */
  public long prefetchQueues() {
    return get(PREFETCH_QUEUES);
  }

  /**
   * Returns how this cache has prefetched with direct I/O: {@code aio} if there is at least one of
   * the {@link #prefetchQueues}, {@code threads} if all was left to threads, or {@code none} if
   * there has been no such prefetch. What comes through the page cache is read ahead by the kernel.
   */
  public String prefetchEngine() {
    if (prefetchQueues() > 0) {
      return "aio";
    }
    return prefetchesByThreads() > 0 ? "threads" : NO_ENGINE;
  }

  /**
   * Returns how many blocks were read in the background because they had been in the cache when
   * their file was last open: see {@link BlockCache.Builder#hotList}.
   */
  public long blocksRestored() {
    return get(Counter.BLOCKS_RESTORED);
  }

  /**
   * Returns how many blocks have been read into the cache. A load or a prefetch reads several while
   * the cache has room, and a prefetch of pages beside the cache reads none.
   */
  public long blocksRead() {
    return get(Counter.BLOCKS_READ);
  }

  /** Returns how many bytes have been read into the cache, or beside it by a prefetch. */
  public long bytesRead() {
    return get(Counter.BYTES_READ);
  }

  /** Returns how many blocks were evicted to make room. */
  public long evictions() {
    return get(Counter.EVICTIONS);
  }

  /** Returns how many blocks are in the cache now. */
  public long blocks() {
    return get(Counter.BLOCKS);
  }

  /**
   * Returns how many blocks the cache can hold just now: fewer than its size allows, once the
   * system has refused it memory.
   */
  public long capacity() {
    return get(CAPACITY);
  }

  /** Returns how many bytes of memory the blocks may take just now. */
  public long sizeBytes() {
    return get(SIZE_BYTES);
  }

  /**
   * Returns how many bytes of memory the blocks have taken from the system, in whole pages, and not
   * given back. Memory beside the blocks comes on top of it: at most 16 MiB for prefetched pages,
   * and at most 4 MiB for readers that get no block.
   */
  public long memoryBytes() {
    return get(MEMORY_BYTES);
  }

  /** Returns how many bytes an elastic cache has given back to the system since it was made. */
  public long givenBackBytes() {
    return get(GIVEN_BACK_BYTES);
  }

  /**
   * Returns the limit in bytes that decides the size of an elastic cache: that of a memory cgroup
   * or the memory of the machine; 0 for a cache of a fixed size.
   */
  public long memoryLimitBytes() {
    return get(MEMORY_LIMIT_BYTES);
  }

  /**
   * Returns how many bytes of the cache have been handed out so that vectors and postings can be
   * read in place. They can't be used for other blocks until the garbage collector has found that
   * nobody reads them any more.
   */
  public long pinnedBytes() {
    return get(PINNED_BYTES);
  }

  /**
   * Returns how many of the {@link #pinnedBytes} will not be asked for again, because their files
   * are closed.
   */
  public long pinnedByClosedFilesBytes() {
    return get(PINNED_BY_CLOSED_FILES_BYTES);
  }

  /**
   * Returns the share of look-ups that found their block, from 0 to 1, or {@code NaN} if there were
   * none.
   */
  public double hitRatio() {
    return (double) hits() / (hits() + misses());
  }

  /** Returns how full the cache is, from 0 to 1; 1 for a cache of size 0. */
  public double occupancy() {
    // A cache that becomes smaller has more than it may have for a while.
    return capacity() == 0 ? 1 : Math.min(1, (double) blocks() / capacity());
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof CacheStats stats && figures.equals(stats.figures);
  }

  @Override
  public int hashCode() {
    return figures.hashCode();
  }

  @Override
  public String toString() {
    return "CacheStats" + figures;
  }
}
