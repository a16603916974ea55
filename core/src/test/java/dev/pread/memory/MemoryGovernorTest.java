/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.memory;

import static dev.pread.memory.FakeKernel.MIB;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.FailingLog;
import dev.pread.Fixtures;
import dev.pread.cache.CacheFixtures;
import dev.pread.cache.CacheFixtures.TestSource;
import dev.pread.cache.CachedFile;
import dev.pread.posix.Errno;
import dev.pread.posix.OpenMode;
import dev.pread.posix.ScriptedCalls;
import dev.pread.posix.SystemCalls;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How caches follow what the kernel's files say. */
class MemoryGovernorTest extends MemoryGovernorTestCase {

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

  /**
   * The page cache may use what is kept free, and the caches leave it something to keep: all blocks
   * where it may have more than they.
   */
  @Test
  void oncePastTheLimitSomeBlocksAreLeftToThePageCache() throws IOException {
    ElasticCache cache = cache(MAX, MAX);
    int blocks = (int) (MAX / BLOCK);
    fill(cache, MAX);
    CachedFile file = openFiles.get(0);
    assertFalse(cache.slots().readsPastPageCache(), "there is memory for both");
    freeBeyondReserve(0);
    Fixtures.await("memory to be short", () -> cache.slots().isShortOfMemory());
    assertFalse(cache.slots().readsPastPageCache(), "the page cache may have twice as much");
    freeBeyondReserve(MAX / 4 - RESERVE);
    Fixtures.await("blocks to be read past it", () -> cache.slots().readsPastPageCache());
    Fixtures.await(
        "some to be left", () -> Math.abs(leftToPageCache(file) - 0.4 * blocks) < 0.05 * blocks);
    freeBeyondReserve(-RESERVE);
    Fixtures.await("nothing to be left", () -> leftToPageCache(file) == 0);
    assertEquals(0.125, Allotment.pageCacheShare(RESERVE, TOTAL - RESERVE));
    assertEquals(1, Allotment.pageCacheShare(RESERVE, RESERVE));
    assertEquals(0, Allotment.pageCacheShare(-RESERVE, TOTAL));
  }

  private static int leftToPageCache(CachedFile file) {
    return (int)
        LongStream.range(0, file.length() / BLOCK)
            .filter(block -> file.isLeftToPageCache(block * BLOCK))
            .count();
  }

  /** A file has its slots in one piece from its first block on, and the memory by the page. */
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
    Fixtures.await("less memory", () -> cache.slots().bytesInUse() <= MIN);
    Fixtures.await("the figure", () -> cache.givenBack() == 12 * MIB);
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

  /** What a file had that has been closed is of no use to the cache until something else comes. */
  @Test
  void givesBackWhatNothingIsIn() throws IOException {
    ElasticCache cache = cache();
    fill(cache, 6 * MIB);
    fill(cache, 10 * MIB);
    openFiles.get(1).close();
    Fixtures.await("less memory", () -> cache.bytesBacked() == 6 * MIB);
    Fixtures.await("the figure", () -> cache.givenBack() == 10 * MIB);
    openFiles.get(0).close();
    Fixtures.await("no less than the least", () -> cache.bytesBacked() == MIN);
    int seen = looks.get();
    Fixtures.await("further looks", () -> looks.get() > seen + 20);
    assertEquals(MIN, cache.bytesBacked());
    assertEquals(12 * MIB, cache.givenBack());
    fill(cache, 16 * MIB);
    assertEquals(16 * MIB, cache.bytesBacked(), "it may have as much again");
  }

  /** How often the C library is asked for what has been freed of its heap. */
  private AtomicInteger countTrims() {
    AtomicInteger trims = new AtomicInteger();
    calls =
        ScriptedCalls.of(
            calls, (name, arguments) -> name.equals("mallocTrim") ? trims.incrementAndGet() : null);
    return trims;
  }

  @Test
  void whileMemoryIsShortTheCLibraryGivesBackWhatItHasFreed() throws IOException {
    AtomicInteger trims = countTrims();
    ElasticCache cache = cache();
    freeBeyondReserve(0);
    Fixtures.await("memory to be short", cache.slots()::isShortOfMemory);
    Fixtures.await("the second time", () -> trims.get() >= 2);
  }

  @Test
  void whereThereIsMemoryTheCLibraryMayKeepWhatItHasFreed() throws IOException {
    AtomicInteger trims = countTrims();
    assertEquals(20 * MIB, cache().target());
    int before = looks.get();
    Fixtures.await("looks", () -> looks.get() > before + 30);
    assertEquals(0, trims.get());
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

  /** The third cache is told of first. The other two have to shrink in the same look. */
  @Test
  void aLogThatFailsKeepsNoCacheFromGivingBack() throws IOException {
    ElasticCache one = cache(2 * MIB, MAX);
    ElasticCache two = cache(2 * MIB, MAX);
    try (FailingLog log = new FailingLog(ElasticCache.class.getName())) {
      ElasticCache three = cache(2 * MIB, MAX);
      // Of the others something was told less than a minute ago.
      assertEquals(1, log.told());
      assertEquals(three.target(), one.target());
      assertEquals(three.target(), two.target());
    }
  }

  @Test
  void theLogTellsWhatDecidesOnASize() {
    heapGrowth.set(7 * MIB);
    List<String> told =
        Fixtures.logged(
            ElasticCache.class,
            () -> {
              ElasticCache cache = cache();
              assertEquals(13 * MIB, cache.target());
              cache.slots().close();
              cache = cache(MIN, 5 * MIB);
              assertEquals(5 * MIB, cache.target());
              cache.slots().close();
              heapGrowth.set(200 * MIB);
              assertEquals(MIN, cache().target());
            });
    String free = "of 1024 MiB 84 are not in use or can be taken back, heaps may still take ";
    String kept = ", and 64 are to stay free; the limit is that of the machine";
    assertEquals(
        List.of(
            "INFO: the block cache may have 13 MiB (before: 0): " + free + 7 + kept,
            "INFO: the block cache may have 5 MiB, the most that its settings, the heap and the address space allow"
                + " (before: 0): "
                + free
                + 7
                + kept,
            "INFO: the block cache may have 4 MiB, the least that it may have (before: 0): "
                + free
                + 200
                + kept),
        told);
  }

  /** All files may be open that the process may have, just when a cache is made. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "proc/self/cgroup",
        "proc/self/mountinfo",
        "sys/fs/cgroup/pod/memory.max",
        "sys/fs/cgroup/pod/memory.current",
        "sys/fs/cgroup/memory.max"
      })
  void whatCouldNotBeOpenedAtFirstCountsLater(String path) throws IOException {
    boolean isOuter = path.equals("sys/fs/cgroup/memory.max");
    kernel.machine(64 * TOTAL, 32 * TOTAL);
    kernel.self("0::/pod\n", FakeKernel.MOUNT_V2);
    kernel.v2("pod", Long.toString(TOTAL), "max", TOTAL - RESERVE - 20 * MIB);
    long full = 2 * TOTAL - new MemoryView.Room(null, 2 * TOTAL, 0, 0).reserve();
    kernel.v2("", Long.toString(2 * TOTAL), "max", isOuter ? full - 8 * MIB : 0);
    SystemCalls all = calls;
    AtomicBoolean isFull = new AtomicBoolean(true);
    Path file = root.resolve(path);
    calls =
        ScriptedCalls.of(
            all,
            (name, arguments) ->
                isFull.get() && name.equals("open") && arguments[0].equals(file)
                    ? -Errno.EMFILE
                    : null);
    // The thread looks when the cache has been made.
    ElasticCache cache = cache();
    isFull.set(false);
    awaitTarget(isOuter ? 8 * MIB : 20 * MIB, cache);
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
    Fixtures.await(
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
    Fixtures.await("less memory", () -> one.givenBack() > 0 && two.givenBack() > 0);
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

  /**
   * Makes a cache in a container of a pod, and has something of the pod change to and fro, by which
   * there are 12 MiB instead of 20. Looks at all limits come once a second otherwise: this would
   * take more than a minute.
   */
  private void changesAreSeenAtOnce(String what, long with20, long with12) throws IOException {
    governor = governor(MemoryGovernor::newThread, MemoryGovernor.MAX_PAUSE_NANOS);
    kernel.v2("pod/container", Long.toString(TOTAL), "max", TOTAL - RESERVE - 20 * MIB);
    ElasticCache cache = cache();
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(Fixtures.TIMEOUT_SECONDS);
    for (int i = 0; i < 35 && System.nanoTime() < deadline; i++) {
      awaitTarget(20 * MIB, cache);
      kernel.write("sys/fs/cgroup/pod/" + what, Long.toString(with12));
      awaitTarget(12 * MIB, cache);
      kernel.write("sys/fs/cgroup/pod/" + what, Long.toString(with20));
    }
    assertTrue(System.nanoTime() < deadline, "they are seen late");
  }

  @Test
  void aLimitThatChangesIsSeenAtOnce() throws IOException {
    kernel.machine(64 * TOTAL, 32 * TOTAL);
    kernel.self("0::/pod/container\n", FakeKernel.MOUNT_V2);
    kernel.v2("pod", Long.toString(2 * TOTAL), "max", TOTAL - RESERVE - 20 * MIB);
    // Its reserve is smaller, too.
    changesAreSeenAtOnce("memory.max", 2 * TOTAL, TOTAL - 8 * MIB);
  }

  /** The same if it is what others use below that limit, and hardly any of it is left. */
  @Test
  void whatIsNearlyUsedUpIsLookedAtOften() throws IOException {
    kernel.machine(64 * TOTAL, 32 * TOTAL);
    kernel.self("0::/pod/container\n", FakeKernel.MOUNT_V2);
    long full = 2 * TOTAL - new MemoryView.Room(null, 2 * TOTAL, 0, 0).reserve();
    kernel.v2("pod", Long.toString(2 * TOTAL), "max", full - 24 * MIB);
    changesAreSeenAtOnce("memory.current", full - 24 * MIB, full - 12 * MIB);
  }

  @Test
  void aProcessThatIsMovedHasWhatItsNewGroupMayHave() throws IOException {
    freeInGroup(20 * MIB);
    kernel.v2("other", Long.toString(TOTAL), "max", TOTAL - RESERVE - 8 * MIB);
    ElasticCache cache = cache();
    assertEquals(20 * MIB, cache.target());
    kernel.self("0::/other\n", FakeKernel.MOUNT_V2);
    awaitTarget(8 * MIB, cache);
  }

  /** The limit of its old group may be lifted at once. */
  @Test
  void aProcessThatIsMovedNeverHasWhatNoGroupLimits() throws IOException {
    for (int i = 0; i < 3; i++) {
      freeInGroup(20 * MIB);
      ElasticCache cache = cache();
      assertEquals(20 * MIB, cache.target());
      kernel.v2("other", Long.toString(TOTAL), "max", TOTAL - RESERVE - 8 * MIB);
      kernel.self("0::/other\n", FakeKernel.MOUNT_V2);
      kernel.write("sys/fs/cgroup/pod/memory.max", "max\n");
      Fixtures.await(
          "the limit of the other group",
          () -> {
            assertTrue(cache.target() <= 20 * MIB, "the machine's memory");
            return cache.target() == 8 * MIB;
          });
      cache.slots().close();
      Fixtures.await("the end of its thread", () -> newThreads().isEmpty());
    }
  }

  /** All files of a group that is gone fail, those of what is in use too. */
  @Test
  void aProcessWhoseGroupIsGoneHasWhatItsNewGroupMayHave() throws IOException {
    AtomicBoolean isGone = new AtomicBoolean();
    calls = FakeKernel.withoutGroup(calls, root.resolve("sys/fs/cgroup/pod"), isGone);
    freeInGroup(20 * MIB);
    ElasticCache cache = cache();
    assertEquals(20 * MIB, cache.target());
    kernel.v2("other", Long.toString(TOTAL), "max", TOTAL - RESERVE - 8 * MIB);
    kernel.self("0::/other\n", FakeKernel.MOUNT_V2);
    isGone.set(true);
    Fixtures.await(
        "the limit of the other group",
        () -> {
          long target = cache.target();
          assertTrue(target >= 8 * MIB && target <= 20 * MIB, target + " bytes");
          return target == 8 * MIB;
        });
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
    Fixtures.await("a look", () -> reads.get() > before);
    Thread thread = newThreads().iterator().next();
    Fixtures.await("a pause", () -> LockSupport.getBlocker(thread) == governor);
  }

  @Test
  void filesThatCantBeReadForAWhileChangeNothing() throws IOException {
    AtomicInteger reads = countReads(root.resolve("proc/meminfo"));
    ElasticCache cache = cache();
    awaitLook(reads);
    kernel.write("proc/meminfo", "nonsense");
    awaitLook(reads);
    assertEquals(20 * MIB, cache.target());
    // Nothing is known then, and a new cache has what it may have at least.
    ElasticCache late = cache();
    assertEquals(MIN, late.target());
    assertEquals(20 * MIB, cache.target());
    late.slots().close();
    freeBeyondReserve(10 * MIB);
    awaitTarget(10 * MIB, cache);
  }
}
