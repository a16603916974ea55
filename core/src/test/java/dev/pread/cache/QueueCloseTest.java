/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.pread.posix.Backend;
import dev.pread.posix.OpenMode;
import dev.pread.posix.PosixFile;
import dev.pread.posix.ScriptedCalls;
import dev.pread.posix.SystemCalls;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.Test;

/** The end of several queues, each of which the kernel takes its time for. */
class QueueCloseTest extends QueuedPrefetchTestCase {

  private static final int QUEUES = 4;

  /** How many contexts the kernel has been asked to destroy. */
  private final AtomicInteger destroyed = new AtomicInteger();

  /** Opens queues that read something, and closes them again. */
  private void closeQueues(ThreadFactory threads, IntConsumer beforeDestroy) throws Exception {
    SystemCalls watched =
        ScriptedCalls.of(
            calls,
            (name, arguments) -> {
              if (name.equals("ioDestroy")) {
                beforeDestroy.accept(destroyed.incrementAndGet());
              }
              return null;
            });
    FillQueues queues = new FillQueues(new FillSignal[] {new FillSignal()}, 8, threads);
    Prefetcher prefetcher = new Prefetcher(cache.counters(), queues, threads);
    try (PosixFile direct = new Backend(watched).open(path, OpenMode.READ_DIRECT)) {
      for (int block = 0; queues.count() < QUEUES; block++) {
        int next = 9 * block;
        // Each thread has another number, by which it gets its queue.
        Thread reader = new Thread(() -> prefetcher.prefetchBlocks(file, next, 1, direct));
        reader.start();
        reader.join();
      }
      while (queues.isBusy()) {
        // What is under way when a queue can't be destroyed keeps its slot for good.
        queues.awaitOne();
      }
      queues.close();
    }
  }

  @Test
  void theyEndTogether() throws Exception {
    CountDownLatch ending = new CountDownLatch(QUEUES);
    AtomicInteger alone = new AtomicInteger();
    closeQueues(
        Thread::new,
        number -> {
          ending.countDown();
          alone.addAndGet(awaitZero(ending) ? 0 : 1);
        });
    assertEquals(0, alone.get());
    assertEquals(QUEUES, destroyed.get());
  }

  private static boolean awaitZero(CountDownLatch latch) {
    try {
      return latch.await(10, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void withoutThreadsTheyEndAllTheSame() throws Exception {
    List<ThreadFactory> none =
        List.of(
            work -> {
              throw new OutOfMemoryError("by script");
            },
            work -> {
              throw new SecurityException("by script");
            });
    for (ThreadFactory threads : none) {
      destroyed.set(0);
      closeQueues(threads, number -> {});
      assertEquals(QUEUES, destroyed.get());
    }
  }

  @Test
  void anErrorOfOneEndsTheOthersAndIsTold() {
    fails(
        StackOverflowError.class,
        () -> {
          throw new StackOverflowError("by script");
        });
    fails(
        IllegalStateException.class,
        () -> {
          throw new IllegalStateException("by script");
        });
  }

  @Test
  void withoutMemoryTheyEndAllTheSame() throws Exception {
    closeQueues(
        Thread::new,
        number -> {
          if (number == 2) {
            throw new OutOfMemoryError("by script");
          }
        });
    assertEquals(QUEUES, destroyed.get());
  }

  private void fails(Class<? extends Throwable> type, Runnable failure) {
    destroyed.set(0);
    IntConsumer atTheSecond =
        number -> {
          if (number == 2) {
            failure.run();
          }
        };
    Throwable told = assertThrows(type, () -> closeQueues(Thread::new, atTheSecond));
    assertEquals("by script", told.getMessage());
    assertEquals(QUEUES, destroyed.get());
  }
}
