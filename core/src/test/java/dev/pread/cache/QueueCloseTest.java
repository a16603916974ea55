/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.pread.posix.Backend;
import dev.pread.posix.OpenMode;
import dev.pread.posix.PosixFile;
import dev.pread.posix.ScriptedCalls;
import dev.pread.posix.SystemCalls;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The end of several queues, each of which the kernel takes its time for. */
class QueueCloseTest extends QueuedPrefetchTestCase {

  private static final int QUEUES = 4;

  /** How many contexts the kernel has been asked to destroy. */
  private final AtomicInteger destroyed = new AtomicInteger();

  /** Opens queues that read something, and closes them again. */
  private void closeQueues(ThreadFactory threads, Runnable beforeDestroy) throws Exception {
    SystemCalls watched =
        ScriptedCalls.of(
            calls,
            (name, arguments) -> {
              if (name.equals("ioDestroy")) {
                destroyed.incrementAndGet();
                beforeDestroy.run();
              }
              return null;
            });
    Prefetcher prefetcher =
        new Prefetcher(cache.counters(), new FillSignal[] {new FillSignal()}, 8, threads);
    try (PosixFile direct = new Backend(watched).open(path, OpenMode.READ_DIRECT)) {
      for (int block = 0; prefetcher.queues() < QUEUES; block++) {
        int next = 9 * block;
        // Each thread has another number, by which it gets its queue.
        Thread reader = new Thread(() -> prefetcher.prefetchBlocks(file, next, 1, direct));
        reader.start();
        reader.join();
      }
      prefetcher.close();
    } finally {
      assertEquals(QUEUES, destroyed.get());
    }
  }

  @Test
  void theyEndTogether() throws Exception {
    CountDownLatch ending = new CountDownLatch(QUEUES);
    AtomicInteger alone = new AtomicInteger();
    closeQueues(
        Thread::new,
        () -> {
          ending.countDown();
          alone.addAndGet(isSoonZero(ending) ? 0 : 1);
        });
    assertEquals(0, alone.get());
  }

  private static boolean isSoonZero(CountDownLatch latch) {
    try {
      return latch.await(10, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void withoutThreadsTheyEndAllTheSame() throws Exception {
    closeQueues(
        work -> {
          throw new OutOfMemoryError("unable to create native thread");
        },
        () -> {});
  }

  @Test
  void anErrorOfOneEndsTheOthersAndIsTold() {
    AtomicInteger errors = new AtomicInteger();
    CompletionException told =
        assertThrows(
            CompletionException.class,
            () ->
                closeQueues(
                    Thread::new,
                    () -> {
                      if (errors.getAndIncrement() == 1) {
                        throw new IllegalStateException("by script");
                      }
                    }));
    assertEquals("by script", told.getCause().getMessage());
  }
}
