/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.memory;

import static dev.pread.memory.FakeKernel.MIB;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.FailingLog;
import dev.pread.Fixtures;
import dev.pread.cache.CacheFixtures.TestMemory;
import dev.pread.cache.CachedFile;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.ByteBuffer;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** The thread of a governor: when there is one, when it pauses, and that nothing ends it. */
class MemoryGovernorThreadTest extends MemoryGovernorTestCase {

  private volatile boolean looksFail;

  /** When the last look failed, or 0, and the shortest time since the one before. */
  private long failed;

  private volatile long betweenFailures = Long.MAX_VALUE;

  @Override
  void beforeLook() {
    if (looksFail) {
      long now = System.nanoTime();
      betweenFailures = failed == 0 ? betweenFailures : Math.min(betweenFailures, now - failed);
      failed = now;
      throw new IllegalStateException("a test");
    }
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
    Fixtures.await("a pause in spite of it", () -> LockSupport.getBlocker(thread) == governor);
    Fixtures.await("an end of the interrupt", () -> !thread.isInterrupted());
    assertEquals(20 * MIB, cache.target());
  }

  /** Where a cache has given back all it can, it is no use to look all the time. */
  @Test
  void pausesWhereNothingCanBeGivenBack() throws IOException {
    ElasticCache cache = cache();
    fill(cache, 16 * MIB);
    freeBeyondReserve(1 - RESERVE);
    Fixtures.await("less memory", () -> cache.slots().bytesInUse() <= MIN);
    Thread thread = newThreads().iterator().next();
    Fixtures.await("a pause", () -> LockSupport.getBlocker(thread) == governor);
  }

  @Test
  void theThreadBeginsAnewWithANewCache() throws IOException {
    ElasticCache one = cache();
    one.slots().close();
    Fixtures.await("the end of its thread", () -> newThreads().isEmpty());
    assertEquals(0, Fixtures.descriptorsIn(root));
    freeBeyondReserve(10 * MIB);
    ElasticCache two = cache();
    assertEquals(10 * MIB, two.target());
    freeBeyondReserve(15 * MIB);
    awaitTarget(15 * MIB, two);
  }

  /** Makes a governor some of whose threads can't be started. */
  private void threadsFail(BooleanSupplier fails) {
    governor =
        governor(
            body -> {
              Thread thread =
                  new Thread(body, "lucene-pread-memory") {
                    @Override
                    public void start() {
                      if (fails.getAsBoolean()) {
                        throw new OutOfMemoryError("a test");
                      }
                      super.start();
                    }
                  };
              thread.setDaemon(true);
              return thread;
            },
            PAUSE_NANOS);
  }

  @Test
  void withoutAThreadItEndsWithItsCachesToo() throws IOException {
    threadsFail(() -> true);
    ElasticCache one = cache();
    ElasticCache two = cache();
    assertEquals(10 * MIB, two.target());
    one.slots().close();
    governor.closed();
    CachedFile file = open(two, LARGE);
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(Fixtures.TIMEOUT_SECONDS);
    for (int block = 0; two.target() == 10 * MIB; block++) {
      missOnce(file, block);
      assertTrue(System.nanoTime() < deadline, "readers do not look");
    }
    two.slots().close();
    governor.closed();
    assertEquals(0, Fixtures.descriptorsIn(root));
    governor.closed();
    assertThrows(NullPointerException.class, () -> governor.add(null, calls));
    assertEquals(0, Fixtures.descriptorsIn(root), "one that could not be added");
  }

  @Test
  void aThreadThatCouldNotBeStartedIsStartedLater() throws IOException {
    AtomicInteger starts = new AtomicInteger();
    threadsFail(() -> starts.getAndIncrement() == 0);
    CachedFile file = open(cache(), LARGE);
    assertEquals(0, newThreads().size());
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(Fixtures.TIMEOUT_SECONDS);
    for (int block = 0; newThreads().isEmpty(); block++) {
      missOnce(file, block);
      assertTrue(System.nanoTime() < deadline, "no thread");
    }
    assertEquals(2, starts.get());
  }

  @Test
  void whatNobodyHasAnyMoreIsNotKept() {
    assertEquals(20 * MIB, cache().target());
    caches.clear();
    Fixtures.await(
        "the end of its thread",
        () -> {
          System.gc();
          return newThreads().isEmpty();
        });
  }

  /** Neither a look that fails nor a log that does ends its thread or is told to its users. */
  @Test
  void aLogThatFailsIsNoReasonToLookNoMore() throws IOException {
    try (FailingLog log = new FailingLog(MemoryGovernor.class.getName())) {
      looksFail = true;
      ElasticCache cache = cache();
      Fixtures.await("two looks that fail", () -> log.told() > 1);
      looksFail = false;
      awaitTarget(20 * MIB, cache);
    }
  }

  /** Whatever has failed, others may take gigabytes within a second. */
  @Test
  void afterALookThatFailsTheNextOneComesSoon() {
    governor = governor(MemoryGovernor::newThread, MemoryGovernor.MAX_PAUSE_NANOS);
    ElasticCache cache = cache();
    awaitTarget(20 * MIB, cache);
    Thread thread = newThreads().iterator().next();
    Fixtures.await("a pause", () -> LockSupport.getBlocker(thread) == governor);
    looksFail = true;
    Fixtures.await(
        "two looks that fail, less than a second apart",
        () -> betweenFailures < MemoryGovernor.MAX_PAUSE_NANOS / 2);
  }

  /**
   * A virtual thread that has the lock could wait with it for a processor thread, and nobody would
   * give memory back in the meantime.
   */
  @Test
  void aVirtualThreadLeavesTheLookToTheThreadIfThereIsOne() throws Exception {
    CountDownLatch turn = new CountDownLatch(1);
    governor =
        governor(
            body ->
                MemoryGovernor.newThread(
                    () -> {
                      Fixtures.awaitQuietly(turn);
                      body.run();
                    }),
            PAUSE_NANOS);
    try {
      CachedFile file = open(cache(), LARGE);
      int before = looks.get();
      inVirtualThread(thread -> missUntilLate(file));
      assertEquals(before, looks.get());
      missForLooks(1, file);
    } finally {
      turn.countDown();
    }
  }

  @Test
  void aVirtualThreadLooksIfThereIsNoOther() throws Exception {
    threadsFail(() -> true);
    ElasticCache cache = cache();
    inVirtualThread(thread -> missForLooks(1, open(cache, LARGE)));
    cache.slots().close();
    governor.closed();
  }

  private static void inVirtualThread(Fixtures.ThreadBody body) throws Exception {
    FutureTask<Void> task =
        new FutureTask<>(
            () -> {
              body.run(0);
              return null;
            });
    Thread.ofVirtual().start(task);
    task.get();
  }

  /** Reads for so long that more than one look is due. */
  private static void missUntilLate(CachedFile file) throws IOException {
    long end = System.nanoTime() + 4 * PAUSE_NANOS;
    for (int block = 0; System.nanoTime() < end; block++) {
      missOnce(file, block);
    }
  }

  @Test
  void goesOnWhereNothingCanBeGivenBack() throws IOException {
    AtomicInteger failures = new AtomicInteger();
    AtomicBoolean fails = new AtomicBoolean(true);
    TestMemory memory =
        new TestMemory(CHUNK, PAGE, Integer.MAX_VALUE) {
          @Override
          public void discard(ByteBuffer page) {
            if (fails.get()) {
              failures.incrementAndGet();
              throw new IllegalStateException("a test");
            }
          }
        };
    ElasticCache cache = cache(MIN, MAX, memory);
    fill(cache, 6 * MIB);
    openFiles.get(0).close();
    Fixtures.await("failures", () -> failures.get() > 1);
    freeBeyondReserve(12 * MIB);
    Fixtures.await("a look", () -> cache.target() < 20 * MIB);
    fails.set(false);
  }
}
