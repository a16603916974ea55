/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.Fixtures;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Threads that make calls for others. */
final class PlatformThreadsTest {

  private final AtomicInteger uncaught = new AtomicInteger();
  private final PlatformThreads threads =
      new PlatformThreads(
          work ->
              Thread.ofPlatform()
                  .daemon()
                  .uncaughtExceptionHandler((thread, e) -> uncaught.incrementAndGet())
                  .unstarted(work));

  @Test
  void onlyVirtualThreadsNeedThem() throws Exception {
    assertFalse(PlatformThreads.areNeeded());
    FutureTask<Boolean> ask = new FutureTask<>(PlatformThreads::areNeeded);
    Thread.ofVirtual().start(ask);
    assertTrue(ask.get());
    FutureTask<Boolean> inCall =
        new FutureTask<>(() -> PlatformThreads.make(PlatformThreads::areNeeded));
    Thread.ofVirtual().start(inCall);
    assertFalse(inCall.get());
  }

  /** Where nobody handles an error that ends a thread, some servers end. */
  @Test
  void aThreadThatLacksMemoryToWaitForACallEndsQuietly() throws Exception {
    Thread thread =
        PlatformThreads.newThread(
            () -> {
              throw new OutOfMemoryError("by script");
            });
    thread.setUncaughtExceptionHandler((of, e) -> uncaught.incrementAndGet());
    thread.start();
    thread.join();
    assertEquals(0, uncaught.get());
  }

  @Test
  void aCallIsMadeByAnotherThreadWhichIsUsedAgain() throws Exception {
    assertNotSame(Thread.currentThread(), threads.makeOne(Thread::currentThread));
    Set<Thread> seen = new HashSet<>();
    Fixtures.await(
        "a thread that is used twice", () -> !seen.add(threads.makeOne(Thread::currentThread)));
  }

  @Test
  void thereAreNoMoreThanTheyMayBeAndAllCallsAreMade() throws Exception {
    CountDownLatch all = new CountDownLatch(PlatformThreads.MAX);
    CountDownLatch end = new CountDownLatch(1);
    AtomicInteger calls = new AtomicInteger();
    AtomicInteger running = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    List<Thread> callers = new ArrayList<>();
    for (int i = 0; i < 3 * PlatformThreads.MAX; i++) {
      callers.add(
          Thread.ofVirtual()
              .start(
                  () -> {
                    int ignored =
                        threads.makeOne(
                            () -> {
                              most.accumulateAndGet(running.incrementAndGet(), Math::max);
                              all.countDown();
                              Fixtures.awaitQuietly(end);
                              running.decrementAndGet();
                              return calls.incrementAndGet();
                            });
                  }));
    }
    Fixtures.await(all);
    assertEquals(0, calls.get());
    end.countDown();
    for (Thread caller : callers) {
      assertTrue(caller.join(Duration.ofSeconds(60)));
    }
    assertEquals(callers.size(), calls.get());
    assertEquals(PlatformThreads.MAX, most.get());
  }

  @Test
  void whatACallThrowsIsTheCallers() {
    IOException failure = new IOException("by script");
    failure.setStackTrace(new StackTraceElement[0]);
    assertSame(failure, assertThrows(IOException.class, () -> threads.makeOne(failing(failure))));
    assertTrue(
        Arrays.stream(failure.getStackTrace())
            .anyMatch(frame -> frame.getMethodName().equals("whatACallThrowsIsTheCallers")));
    StackOverflowError error = new StackOverflowError();
    assertSame(
        error, assertThrows(StackOverflowError.class, () -> threads.makeOne(failing(error))));
    assertEquals(0, uncaught.get());
  }

  private static PlatformThreads.Call<Void, IOException> failing(Throwable failure) {
    return () -> {
      if (failure instanceof Error error) {
        throw error;
      }
      throw (IOException) failure;
    };
  }

  @Test
  void anInterruptEndsNoCallAndStays() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    AtomicReference<Thread> caller = new AtomicReference<>();
    FutureTask<Boolean> call =
        new FutureTask<>(
            () -> {
              caller.set(Thread.currentThread());
              boolean hasEnded =
                  threads.makeOne(
                      () -> {
                        begun.countDown();
                        Fixtures.awaitQuietly(end);
                        return true;
                      });
              return hasEnded && Thread.currentThread().isInterrupted();
            });
    Thread.ofVirtual().start(call);
    Fixtures.await(begun);
    caller.get().interrupt();
    Fixtures.await("the caller to park again", () -> isParked(caller.get()));
    assertFalse(call.isDone());
    end.countDown();
    assertTrue(call.get());
  }

  private static boolean isParked(Thread thread) {
    return thread.getState() == Thread.State.WAITING && !thread.isInterrupted();
  }

  /** The call asks whether there are threads, and would ask for one again and again. */
  @Test
  void withoutThreadsTheCallerMakesTheCall() throws Exception {
    PlatformThreads none =
        new PlatformThreads(
            work -> {
              throw new OutOfMemoryError("unable to create native thread");
            });
    assertTrue(none.areThere());
    assertSame(Thread.currentThread(), none.makeOne(Thread::currentThread));
    // That is forgotten after a second, and this thread may not have its turn for as long.
    Fixtures.await("an answer in time", () -> !none.makeOne(none::areThere));
  }
}
