/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.memory;

import static dev.pread.memory.FakeKernel.MIB;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.Fixtures;
import dev.pread.cache.CacheFixtures.TestMemory;
import dev.pread.cache.CacheFixtures.TestSource;
import dev.pread.cache.CachedFile;
import dev.pread.cache.SlotCache;
import dev.pread.posix.SystemCalls;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A governor whose caches follow what the kernel's files say, which are made up here. */
abstract class MemoryGovernorTestCase {

  static final int BLOCK_BITS = 12;
  static final int BLOCK = 1 << BLOCK_BITS;
  static final int PAGE = (int) MIB;
  static final int CHUNK = 8 * PAGE;
  static final long TOTAL = 1024 * MIB;
  static final long RESERVE = new MemoryView.Room(null, TOTAL, 0, 0).reserve();
  static final long MIN = 4 * MIB;
  static final long MAX = 32 * MIB;

  /** The longest pause of a governor here, so that tests need not wait for seconds. */
  static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /** A file of which more is read than a cache has room for. */
  static final long LARGE = 64 * MIB;

  @TempDir Path root;

  SystemCalls calls = Fixtures.backend().calls();
  final AtomicLong heapGrowth = new AtomicLong();

  /** How often all was looked at. */
  final AtomicInteger looks = new AtomicInteger();

  final Set<Thread> threadsBefore = threads();
  final List<SlotCache> caches = new ArrayList<>();
  final List<CachedFile> openFiles = new ArrayList<>();
  FakeKernel kernel;
  MemoryGovernor governor;

  /** What {@link #takeAll} has made. */
  ElasticCache one;

  @BeforeEach
  void start() throws IOException {
    kernel = new FakeKernel(root);
    governor = governor(MemoryGovernor::newThread, PAUSE_NANOS);
    freeBeyondReserve(20 * MIB);
  }

  /** Makes a governor that looks at the made-up files. */
  MemoryGovernor governor(ThreadFactory threads, long maxPauseNanos) {
    return new MemoryGovernor(
        root,
        () -> {
          looks.incrementAndGet();
          beforeLook();
          return heapGrowth.get();
        },
        threads,
        maxPauseNanos);
  }

  /** What is done before all is looked at. */
  void beforeLook() {}

  /** The governor needs no more than that all its caches are closed. */
  @AfterEach
  void itEndsWithItsCaches() throws IOException {
    openFiles.forEach(CachedFile::close);
    caches.forEach(SlotCache::close);
    Fixtures.await("the end of its thread", () -> newThreads().isEmpty());
    assertEquals(0, Fixtures.descriptorsIn(root));
  }

  static Set<Thread> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals("lucene-pread-memory"))
        .collect(Collectors.toSet());
  }

  Set<Thread> newThreads() {
    Set<Thread> threads = threads();
    threads.removeAll(threadsBefore);
    return threads;
  }

  static void awaitTarget(long bytes, ElasticCache cache) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(Fixtures.TIMEOUT_SECONDS);
    while (cache.target() != bytes) {
      assertTrue(System.nanoTime() < deadline, cache.target() + ", not " + bytes);
      LockSupport.parkNanos(1000);
    }
  }

  /** What others take and give back; what the cache takes does not show. */
  void freeBeyondReserve(long bytes) throws IOException {
    kernel.machine(TOTAL, RESERVE + bytes);
  }

  ElasticCache cache() {
    return cache(MIN, MAX);
  }

  ElasticCache cache(long min, long max) {
    return cache(min, max, new TestMemory(CHUNK, PAGE, Integer.MAX_VALUE));
  }

  ElasticCache cache(long min, long max, TestMemory memory) {
    SlotCache slots = new SlotCache(MAX, BLOCK_BITS, memory);
    caches.add(slots);
    ElasticCache cache = new ElasticCache(slots, min, max);
    governor.add(cache, calls);
    return cache;
  }

  CachedFile open(ElasticCache cache, long bytes) {
    CachedFile file = cache.slots().files().open(null, "f", bytes);
    openFiles.add(file);
    return file;
  }

  /** Fills a cache with blocks of one file, which stays open. */
  void fill(ElasticCache cache, long bytes) throws IOException {
    // What has come along with another block is no miss, which would say that it wants more.
    open(cache, bytes).loadRange(0, (int) bytes, new TestSource(1, bytes));
  }

  static void missOnce(CachedFile file, int block) throws IOException {
    file.load(block % (int) (LARGE / BLOCK), 1, new TestSource(1, LARGE));
  }

  /**
   * Has the page cache take all that is free below a limit, so that it is looked at all the time.
   */
  void freeInGroup(long bytesBeyondReserve) throws IOException {
    kernel.machine(64 * TOTAL, 32 * TOTAL);
    kernel.self("0::/pod\n", FakeKernel.MOUNT_V2);
    // In one step: a look at a group without files would have the caches give back what they have.
    kernel.v2("pod", Long.toString(TOTAL), "max", TOTAL, RESERVE + bytesBeyondReserve);
  }

  /** Gives the caches a part each of the looks that follow, while some of them miss. */
  void missForLooks(int count, CachedFile... files) throws IOException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(Fixtures.TIMEOUT_SECONDS);
    int end = looks.get() + count;
    for (int block = 0; looks.get() < end; block++) {
      for (CachedFile file : files) {
        missOnce(file, block);
      }
      assertTrue(System.nanoTime() < deadline, "it does not look");
    }
  }

  /**
   * Makes a cache that takes all there is, 20 MiB.
   *
   * @return a file of which it has read what there was room for
   */
  CachedFile takeAll(long min) throws IOException {
    freeInGroup(20 * MIB);
    one = cache(min, 20 * MIB);
    CachedFile file = open(one, LARGE);
    for (int block = 0; one.bytesBacked() < 20 * MIB; block++) {
      missOnce(file, block);
    }
    freeInGroup(0);
    awaitTarget(20 * MIB, one);
    return file;
  }
}
