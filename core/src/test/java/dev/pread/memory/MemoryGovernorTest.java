/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.memory;

import static dev.pread.memory.FakeKernel.MIB;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.Fixtures;
import dev.pread.cache.CacheFixtures;
import dev.pread.cache.CacheFixtures.TestMemory;
import dev.pread.cache.CacheFixtures.TestSource;
import dev.pread.cache.CachedFile;
import dev.pread.cache.SlotCache;
import dev.pread.posix.Errno;
import dev.pread.posix.OpenMode;
import dev.pread.posix.ScriptedCalls;
import dev.pread.posix.SystemCalls;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.StreamHandler;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How caches follow what the kernel's files say, which are made up here. */
class MemoryGovernorTest {

  private static final int BLOCK_BITS = 12;
  private static final int BLOCK = 1 << BLOCK_BITS;
  private static final long TOTAL = 1024 * MIB;
  private static final long RESERVE = new MemoryView.Room(null, TOTAL, 0, 0).reserve();
  private static final long MIN = 4 * MIB;
  private static final long MAX = 32 * MIB;

  @TempDir Path root;

  private SystemCalls calls = Fixtures.backend().calls();
  private final AtomicLong heapGrowth = new AtomicLong();

  /** How often all was looked at. */
  private final AtomicInteger looks = new AtomicInteger();

  private volatile boolean looksFail;

  /** What the caches have of it they have taken, once it is more than nothing. */
  private volatile long shared;

  private final Set<Thread> threadsBefore = threads();
  private final List<SlotCache> caches = new ArrayList<>();
  private final List<CachedFile> openFiles = new ArrayList<>();
  private FakeKernel kernel;
  private MemoryGovernor governor;

  @BeforeEach
  void start() throws IOException {
    kernel = new FakeKernel(root);
    governor =
        new MemoryGovernor(
            root,
            () -> {
              looks.incrementAndGet();
              if (looksFail) {
                throw new IllegalStateException("a test");
              }
              freeOfShared();
              return heapGrowth.get();
            });
    freeBeyondReserve(20 * MIB);
  }

  /** The governor needs no more than that all its caches are closed. */
  @AfterEach
  void itEndsWithItsCaches() throws IOException {
    openFiles.forEach(CachedFile::close);
    caches.forEach(SlotCache::close);
    await("the end of its thread", () -> newThreads().isEmpty());
    assertEquals(0, Fixtures.descriptorsIn(root));
  }

  private static Set<Thread> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals("lucene-pread-memory"))
        .collect(Collectors.toSet());
  }

  private Set<Thread> newThreads() {
    Set<Thread> threads = threads();
    threads.removeAll(threadsBefore);
    return threads;
  }

  private static void await(String what, BooleanSupplier condition) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(Fixtures.TIMEOUT_SECONDS);
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() < deadline, "in vain: " + what);
      LockSupport.parkNanos(1000);
    }
  }

  private static void awaitTarget(long bytes, ElasticCache cache) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(Fixtures.TIMEOUT_SECONDS);
    while (cache.target() != bytes) {
      assertTrue(System.nanoTime() < deadline, cache.target() + ", not " + bytes);
      LockSupport.parkNanos(1000);
    }
  }

  /** What others take and give back; what the cache takes does not show. */
  private void freeBeyondReserve(long bytes) throws IOException {
    kernel.machine(TOTAL, RESERVE + bytes);
  }

  private ElasticCache cache() {
    return cache(MIN, MAX);
  }

  /** Pages have a MiB. */
  private ElasticCache cache(long min, long max) {
    int mib = (int) MIB;
    SlotCache slots =
        new SlotCache(MAX, BLOCK_BITS, new TestMemory(8 * mib, mib, Integer.MAX_VALUE));
    caches.add(slots);
    ElasticCache cache = new ElasticCache(slots, min, max);
    governor.add(cache, calls);
    return cache;
  }

  private CachedFile open(ElasticCache cache, long bytes) {
    CachedFile file = cache.slots().files().open(null, "f", bytes);
    openFiles.add(file);
    return file;
  }

  /** Fills a cache with blocks of one file, which stays open. */
  private void fill(ElasticCache cache, long bytes) throws IOException {
    CachedFile file = open(cache, bytes);
    for (int block = 0; block < bytes / BLOCK; block++) {
      file.load(block, 1, new TestSource(1, bytes));
    }
  }

  @Test
  void aCacheHasItsSizeFromTheStart() {
    ElasticCache cache = cache();
    assertEquals(20 * MIB, cache.target());
    assertEquals(TOTAL, cache.memoryLimit());
    assertEquals(0, cache.slots().bytesInUse(), "it takes none of it before it is needed");
  }

  @Test
  void growsAndShrinksWithWhatIsFree() throws IOException {
    ElasticCache cache = cache();
    freeBeyondReserve(30 * MIB);
    awaitTarget(30 * MIB, cache);
    freeBeyondReserve(5 * MIB);
    awaitTarget(5 * MIB, cache);
  }

  /** The page cache may use what is kept free, and the caches leave it something to keep. */
  @Test
  void oncePastTheLimitSomeBlocksAreLeftToThePageCache() throws IOException {
    ElasticCache cache = cache();
    int blocks = 4096;
    fill(cache, (long) blocks * BLOCK);
    CachedFile file = openFiles.get(0);
    assertEquals(0, leftToPageCache(file), "there is memory for all");
    freeBeyondReserve(0);
    await("memory to be short", () -> cache.slots().isShortOfMemory());
    assertEquals(0.5, (double) leftToPageCache(file) / blocks, 0.05);
    freeBeyondReserve(-RESERVE);
    await("nothing to be left", () -> leftToPageCache(file) == 0);
    assertEquals(0.125, MemoryGovernor.pageCacheShare(RESERVE, TOTAL - RESERVE));
    assertEquals(0.5, MemoryGovernor.pageCacheShare(RESERVE, 0));
    assertEquals(0, MemoryGovernor.pageCacheShare(-RESERVE, TOTAL));
  }

  private static int leftToPageCache(CachedFile file) {
    return (int)
        LongStream.range(0, file.length() / BLOCK)
            .filter(block -> file.isLeftToPageCache(block * BLOCK))
            .count();
  }

  /** A file has its slots in one piece from its first block on, and the memory as blocks come. */
  @Test
  void whatIsKeptForBlocksThatHaveNotComeIsNotTaken() throws IOException {
    ElasticCache cache = cache();
    CachedFile file = open(cache, 8 * MIB);
    file.load(0, 1, new TestSource(1, 8 * MIB));
    assertEquals(8 * MIB, cache.slots().bytesInUse());
    assertEquals(MIB, cache.bytesBacked());
    // That is what it has, and what is free.
    awaitTarget(21 * MIB, cache);
    freeBeyondReserve(2 * MIB);
    awaitTarget(8 * MIB, cache);
    assertEquals(8 * MIB, cache.slots().bytesInUse(), "while there is memory, what is kept stays");
  }

  @Test
  void staysWithinItsBounds() throws IOException {
    freeBeyondReserve(-RESERVE);
    ElasticCache cache = cache();
    assertEquals(MIN, cache.target());
    freeBeyondReserve(500 * MIB);
    awaitTarget(MAX, cache);
    freeBeyondReserve(1 - RESERVE);
    awaitTarget(MIN, cache);
    assertEquals(MAX, cache(MAX, MAX).target(), "one that may not shrink");
  }

  @Test
  void whatTheHeapMayStillTakeIsNotFree() {
    heapGrowth.set(12 * MIB);
    ElasticCache cache = cache();
    assertEquals(8 * MIB, cache.target());
    heapGrowth.set(2 * MIB);
    awaitTarget(18 * MIB, cache);
  }

  /** The files never say that this has helped, so it goes on down to the least. */
  @Test
  void givesBackWhatItHasTaken() throws IOException {
    ElasticCache cache = cache();
    fill(cache, 16 * MIB);
    CachedFile file = openFiles.get(0);
    assertEquals(16 * MIB, cache.slots().bytesInUse());
    freeBeyondReserve(1 - RESERVE);
    await("less memory", () -> cache.slots().bytesInUse() <= MIN);
    await("the figure", () -> cache.givenBack() == 12 * MIB);
    awaitTarget(MIN, cache);
    freeBeyondReserve(40 * MIB);
    awaitTarget(MAX, cache);
    for (int block = 0; block < 16 * MIB / BLOCK; block++) {
      file.load(block, 1, new TestSource(1, 16 * MIB));
    }
    assertEquals(16 * MIB, cache.slots().bytesInUse());
    byte[] read = new byte[BLOCK];
    byte[] expected = new byte[BLOCK];
    for (long at = 0; at < 16 * MIB; at += BLOCK) {
      assertEquals(BLOCK, file.copy(at, read, 0, BLOCK), "at " + at);
      for (int i = 0; i < BLOCK; i++) {
        expected[i] = CacheFixtures.byteOf(1, at + i);
      }
      assertArrayEquals(expected, read, "at " + at);
    }
  }

  /** As long as a part of the reserve is left, noise moves nothing. */
  @Test
  void givesNothingBackForALittleLess() throws IOException {
    ElasticCache cache = cache();
    fill(cache, 16 * MIB);
    freeBeyondReserve(-RESERVE / 8);
    awaitTarget(16 * MIB, cache);
    assertEquals(0, cache.givenBack());
    assertEquals(16 * MIB, cache.slots().bytesInUse());
  }

  /** Where a cache has given back all it can, it is no use to look all the time. */
  @Test
  void pausesWhereNothingCanBeGivenBack() throws IOException {
    ElasticCache cache = cache();
    fill(cache, 16 * MIB);
    freeBeyondReserve(1 - RESERVE);
    await("less memory", () -> cache.slots().bytesInUse() <= MIN);
    Thread thread = newThreads().iterator().next();
    await("a pause", () -> LockSupport.getBlocker(thread) == governor);
  }

  /** It belongs to nobody who comes and goes, a test or a web application for example. */
  @Test
  void theThreadIsOfTheWholeProcess() throws IOException {
    Thread here = Thread.currentThread();
    ClassLoader before = here.getContextClassLoader();
    ElasticCache cache;
    try (URLClassLoader passing = new URLClassLoader(new URL[0])) {
      here.setContextClassLoader(passing);
      cache = cache();
    } finally {
      here.setContextClassLoader(before);
    }
    Thread thread = newThreads().iterator().next();
    assertTrue(thread.isDaemon());
    assertNull(thread.getThreadGroup().getParent());
    assertSame(ClassLoader.getSystemClassLoader(), thread.getContextClassLoader());
    thread.interrupt();
    await("a pause in spite of it", () -> LockSupport.getBlocker(thread) == governor);
    await("an end of the interrupt", () -> !thread.isInterrupted());
    assertEquals(20 * MIB, cache.target());
  }

  /** Neither a look that fails nor a log that does ends its thread or is told to its users. */
  @Test
  void aLogThatFailsIsNoReasonToLookNoMore() throws IOException {
    Logger logger = Logger.getLogger(MemoryGovernor.class.getName());
    Level before = logger.getLevel();
    AtomicInteger told = new AtomicInteger();
    Handler failing =
        new StreamHandler() {
          @Override
          public void publish(LogRecord entry) {
            told.incrementAndGet();
            throw new IllegalStateException("a test of " + entry.getMessage());
          }
        };
    logger.setLevel(Level.ALL);
    logger.addHandler(failing);
    try {
      looksFail = true;
      ElasticCache cache = cache();
      await("two looks that fail", () -> told.get() > 1);
      looksFail = false;
      awaitTarget(20 * MIB, cache);
    } finally {
      logger.removeHandler(failing);
      logger.setLevel(before);
    }
  }

  // ---- several ----

  @Test
  void twoShareWhatThereIs() throws IOException {
    ElasticCache one = cache();
    ElasticCache two = cache();
    assertEquals(10 * MIB, one.target());
    assertEquals(10 * MIB, two.target());
    assertEquals(1, newThreads().size());
    fill(one, 6 * MIB);
    freeBeyondReserve(14 * MIB);
    await(
        "two to grow as far",
        () -> one.target() - two.target() == 6 * MIB && two.target() <= 7 * MIB);
  }

  @Test
  void twoGiveBackAccordingToWhatTheyHave() throws IOException {
    freeBeyondReserve(200 * MIB);
    ElasticCache one = cache(0, MAX);
    ElasticCache two = cache(0, MAX);
    fill(one, 24 * MIB);
    fill(two, 8 * MIB);
    freeBeyondReserve(-RESERVE / 2);
    await("less memory", () -> one.givenBack() > 0 && two.givenBack() > 0);
    kernel.machine(TOTAL, 2 * TOTAL);
    awaitTarget(MAX, one);
    awaitTarget(MAX, two);
    assertTrue(one.givenBack() >= two.givenBack(), one.givenBack() + ", " + two.givenBack());
  }

  @Test
  void aClosedOneLeavesItsPartToTheOthers() {
    ElasticCache one = cache();
    ElasticCache two = cache();
    one.slots().close();
    awaitTarget(20 * MIB, two);
    assertEquals(10 * MIB, one.target(), "what it was");
  }

  @Test
  void theThreadBeginsAnewWithANewCache() throws IOException {
    ElasticCache one = cache();
    one.slots().close();
    await("the end of its thread", () -> newThreads().isEmpty());
    assertEquals(0, Fixtures.descriptorsIn(root));
    freeBeyondReserve(10 * MIB);
    ElasticCache two = cache();
    assertEquals(10 * MIB, two.target());
    freeBeyondReserve(15 * MIB);
    awaitTarget(15 * MIB, two);
  }

  @Test
  void whatNobodyHasAnyMoreIsNotKept() {
    assertEquals(20 * MIB, cache().target());
    caches.clear();
    await(
        "the end of its thread",
        () -> {
          System.gc();
          return newThreads().isEmpty();
        });
  }

  /** Looks at all limits come once a second otherwise: this would take more than a minute. */
  @Test
  void aLimitThatChangesIsSeenAtOnce() throws IOException {
    kernel.machine(64 * TOTAL, 32 * TOTAL);
    kernel.self("0::/pod/container\n", FakeKernel.MOUNT_V2);
    kernel.v2("pod", Long.toString(2 * TOTAL), "max", TOTAL - RESERVE - 20 * MIB);
    kernel.v2("pod/container", Long.toString(TOTAL), "max", TOTAL - RESERVE - 20 * MIB);
    ElasticCache cache = cache();
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(Fixtures.TIMEOUT_SECONDS);
    for (int i = 0; i < 35 && System.nanoTime() < deadline; i++) {
      awaitTarget(20 * MIB, cache);
      // Its reserve is smaller, too.
      kernel.write("sys/fs/cgroup/pod/memory.max", Long.toString(TOTAL - 8 * MIB));
      awaitTarget(12 * MIB, cache);
      kernel.write("sys/fs/cgroup/pod/memory.max", Long.toString(2 * TOTAL));
    }
    assertTrue(System.nanoTime() < deadline, "they are seen late");
  }

  // ---- equal parts ----

  /** A file of which more is read than a cache has room for. */
  private static final long LARGE = 64 * MIB;

  /** What {@link #takeAll} has made. */
  private ElasticCache one;

  private static void missOnce(CachedFile file, int block) throws IOException {
    file.load(block % (int) (LARGE / BLOCK), 1, new TestSource(1, LARGE));
  }

  /**
   * Has the page cache take all that is free below a limit, so that it is looked at all the time.
   */
  private void freeInGroup(long bytesBeyondReserve) throws IOException {
    kernel.machine(64 * TOTAL, 32 * TOTAL);
    kernel.self("0::/pod\n", FakeKernel.MOUNT_V2);
    kernel.v2("pod", Long.toString(TOTAL), "max", TOTAL);
    long files = RESERVE + bytesBeyondReserve;
    kernel.write("sys/fs/cgroup/pod/memory.stat", "inactive_file " + files + "\n");
  }

  /** Says what is free when the caches have all the rest, as the kernel does. */
  private void freeOfShared() {
    if (shared > 0) {
      try {
        freeInGroup(shared - caches.stream().mapToLong(SlotCache::bytesBacked).sum());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** Gives the caches a part each of the looks that follow, while some of them miss. */
  private void missForLooks(int count, CachedFile... files) throws IOException {
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
  private CachedFile takeAll(long min) throws IOException {
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

  /** Reads more than two caches have room for, until they differ by no more than they may. */
  private static void missUntilEven(ElasticCache one, ElasticCache two, CachedFile... files)
      throws IOException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(Fixtures.TIMEOUT_SECONDS);
    for (int block = 0; one.bytesBacked() - two.bytesBacked() > RESERVE / 16; block++) {
      for (CachedFile file : files) {
        missOnce(file, block);
      }
      assertTrue(System.nanoTime() < deadline, () -> one.target() + ", " + two.target());
    }
  }

  @Test
  void aLateOneGetsItsPart() throws IOException {
    CachedFile first = takeAll(MIN);
    ElasticCache two = cache(MIN + MIB, MAX);
    assertEquals(MIN + MIB, two.target(), "so that the two can't have the same");
    CachedFile second = open(two, LARGE);
    shared = 20 * MIB + MIN + MIB;
    missUntilEven(one, two, first, second);
    missForLooks(50, first, second);
    long has = two.bytesBacked();
    long had = one.bytesBacked();
    assertTrue(20 * MIB - had <= one.givenBack(), "what it has no more it has given back");
    assertTrue(has - MIN - MIB <= one.givenBack(), "what one gets another has given");
    assertTrue(has > 8 * MIB, had + ", " + has);
    long givenBack = one.givenBack() + two.givenBack();
    missForLooks(50, first, second);
    missForLooks(50, first);
    missForLooks(50, second);
    assertEquals(has, two.bytesBacked());
    assertEquals(had, one.bytesBacked());
    assertEquals(givenBack, one.givenBack() + two.givenBack(), "nothing swings");
  }

  @Test
  void aSmallDifferenceStays() throws IOException {
    CachedFile first = takeAll(MIN);
    ElasticCache two = cache(17 * MIB, MAX);
    fill(two, 17 * MIB);
    CachedFile more = open(two, LARGE);
    missForLooks(50, first, more);
    assertEquals(0, one.givenBack());
    assertEquals(17 * MIB, two.target());
  }

  @Test
  void oneThatWantsNoMoreGetsNoMore() throws IOException {
    CachedFile first = takeAll(MIN);
    ElasticCache two = cache();
    fill(two, MIN);
    missForLooks(50, first);
    assertEquals(MIN, two.target());
    assertEquals(20 * MIB, one.target());
    assertEquals(0, one.givenBack());
  }

  @Test
  void oneThatMayNotShrinkGivesNothing() throws IOException {
    CachedFile first = takeAll(20 * MIB);
    ElasticCache two = cache();
    CachedFile second = open(two, LARGE);
    missForLooks(50, first, second);
    assertEquals(MIN, two.bytesBacked());
    freeInGroup(20 * MIB);
    ElasticCache three = cache(MIN, 16 * MIB);
    fill(three, 16 * MIB);
    freeInGroup(0);
    missUntilEven(three, two, second);
    assertEquals(20 * MIB, one.bytesBacked());
  }

  /** The largest gives to the smallest, and the one between the two has what it had. */
  @Test
  void threeShare() throws IOException {
    CachedFile first = takeAll(MIN);
    ElasticCache two = cache(12 * MIB, MAX);
    fill(two, 12 * MIB);
    ElasticCache three = cache();
    CachedFile third = open(three, LARGE);
    missUntilEven(one, three, first, third);
    missForLooks(50, first, third);
    assertEquals(12 * MIB, two.bytesBacked());
    // Where they differ by no more than they may, nothing moves, and it had its least before.
    assertTrue(one.bytesBacked() - three.bytesBacked() <= RESERVE / 16, one.target() + " to it");
    assertTrue(three.bytesBacked() > MIN, three.target() + " of " + one.target());
  }

  /** What is free is for all, and nobody has to give before it is gone. */
  @Test
  void nobodyGivesWhileThereIsMemory() throws IOException {
    CachedFile ignored = takeAll(MIN);
    ElasticCache two = cache(MIN, 8 * MIB);
    CachedFile second = open(two, LARGE);
    freeInGroup(RESERVE / 2);
    missForLooks(50, second);
    assertEquals(8 * MIB, two.bytesBacked());
    freeInGroup(0);
    missForLooks(50, second);
    assertEquals(0, one.givenBack(), "it has all that it may have");
  }

  /** For none of many it is a page, but whoever takes another one leaves less for the rest. */
  @Test
  void nobodyGivesWhileThereIsALittleForAll() throws IOException {
    CachedFile ignored = takeAll(MIN);
    ElasticCache two = cache();
    CachedFile second = open(two, LARGE);
    for (int i = 0; i < 14; i++) {
      cache();
    }
    freeInGroup(12 * MIB);
    missForLooks(50, second);
    assertEquals(MIN, two.bytesBacked());
    assertEquals(0, one.givenBack());
    freeInGroup(0);
    missUntilEven(one, two, second);
  }

  // ---- other processes ----

  /** Has another process in the same group say something. */
  private void another(String says) throws IOException {
    Assumptions.assumeTrue(
        calls.write(-1, calls.allocate(1, 1), 0, 1) != -Errno.ENOSYS, "without write(2)");
    kernel.write("proc/thread-self/stat", "9 (java) S 1\n");
    kernel.write("proc/thread-self/comm", "");
    kernel.write("sys/fs/cgroup/pod/cgroup.threads", "77\n");
    kernel.write("proc/77/comm", says + "\n");
  }

  @Test
  void whatTheHeapOfAnotherProcessMayStillTakeIsNotFree() throws IOException {
    freeInGroup(20 * MIB);
    another("pread:0006=0001");
    ElasticCache cache = cache();
    awaitTarget(14 * MIB, cache);
    another("");
    awaitTarget(20 * MIB, cache);
  }

  @Test
  void aSmallerProcessThatCouldUseMoreGetsItsPart() throws IOException {
    another("pread:0000=0004");
    CachedFile file = takeAll(MIN);
    missForLooks(50, file);
    assertEquals(0, one.givenBack(), "the other one needs no more");
    another("pread:0000<0004");
    long even = 4 * MIB + RESERVE / 16;
    await("an equal part", () -> one.bytesBacked() <= even);
    missForLooks(50, file);
    assertTrue(one.bytesBacked() > 4 * MIB, one.target() + " is too little");
    long has = one.bytesBacked();
    freeInGroup(RESERVE / 8 * 3);
    another("pread:0000<0002");
    missForLooks(50, file);
    assertEquals(has, one.bytesBacked(), "what is free is for the smaller one");
    another("pread:0000=0002");
    await("the rest", () -> one.target() > has);
  }

  /** It would be for nobody to give back what a larger process has not got from it. */
  @Test
  void aLargerProcessGetsNothing() throws IOException {
    another("pread:0000<00zz");
    CachedFile file = takeAll(MIN);
    missForLooks(50, file);
    assertEquals(0, one.givenBack());
  }

  // ---- what makes no sense ----

  /** Counts how often a file is read from its start, by caches that are made from now on. */
  private AtomicInteger countReads(Path file) {
    SystemCalls counted = calls;
    AtomicInteger reads = new AtomicInteger();
    AtomicInteger opened = new AtomicInteger(-1);
    calls =
        ScriptedCalls.of(
            counted,
            (name, arguments) -> {
              if (name.equals("open") && arguments[0].equals(file)) {
                opened.set(counted.open(file, (OpenMode) arguments[1]));
                return opened.get();
              }
              if (name.equals("pread")
                  && arguments[0].equals(opened.get())
                  && arguments[4].equals(0L)) {
                reads.incrementAndGet();
              }
              return null;
            });
    return reads;
  }

  /** Waits until the governor's thread has begun to read and has ended its look. */
  private void awaitLook(AtomicInteger reads) {
    int before = reads.get();
    await("a look", () -> reads.get() > before);
    Thread thread = newThreads().iterator().next();
    await("a pause", () -> LockSupport.getBlocker(thread) == governor);
  }

  @Test
  void filesThatCantBeReadForAWhileChangeNothing() throws IOException {
    AtomicInteger reads = countReads(root.resolve("proc/meminfo"));
    ElasticCache cache = cache();
    awaitLook(reads);
    kernel.write("proc/meminfo", "nonsense");
    awaitLook(reads);
    assertEquals(20 * MIB, cache.target());
    // Until now it took the limit to be the same. A new cache has it look at that, too.
    ElasticCache late = cache();
    assertEquals(MIN, late.target());
    assertEquals(20 * MIB, cache.target());
    late.slots().close();
    freeBeyondReserve(10 * MIB);
    awaitTarget(10 * MIB, cache);
  }
}
