/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Threads that wait for the disk in place of virtual ones, which park meanwhile. A native call
 * keeps the carrier of a virtual thread, and the JVM starts no other in its place: if virtual
 * threads waited themselves, the device would never have more reads than there are carriers, and
 * nothing else would run.
 *
 * <p>All files of the process share them. They are made when there is something to wait for, and
 * end a moment after there is nothing more. Calls that find all of them busy take turns.
 */
public final class PlatformThreads {

  /** How many there are at most: as many reads as a device needs, or a few for each processor. */
  static final int MAX = Math.max(32, 4 * Runtime.getRuntime().availableProcessors());

  /** How long virtual threads wait themselves after there could be no thread for one of them. */
  private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final PlatformThreads OF_PROCESS = new PlatformThreads(PlatformThreads::newThread);

  private final ThreadPoolExecutor pool;

  /** How many threads have handed over a call, and have not gone on since. */
  private final AtomicInteger callers = new AtomicInteger();

  /** Until when virtual threads wait themselves, in the time of {@link System#nanoTime}. */
  private volatile long refusedUntil = System.nanoTime();

  /**
   * Creates a pool of its own, for tests.
   *
   * @param threads makes the threads, which are not started
   */
  PlatformThreads(ThreadFactory threads) {
    Handover calls = new Handover();
    pool =
        new ThreadPoolExecutor(
            0, MAX, 1, TimeUnit.SECONDS, calls, threads, (call, busy) -> wait(call, calls, busy));
  }

  /** Has a call wait until a thread has nothing else to do. */
  private static void wait(Runnable call, Handover calls, ThreadPoolExecutor busy) {
    calls.put(call);
    if (busy.getPoolSize() == 0 && calls.remove(call)) {
      // While the caller had no processor, all of them have ended. If the call asks for a thread,
      // that makes one.
      call.run();
    }
  }

  /**
   * Takes calls only for a thread that waits for one. So the pool makes a thread if none does, and
   * {@linkplain #put puts} the call here itself if it may make no more.
   */
  private static final class Handover extends LinkedTransferQueue<Runnable> {

    private static final long serialVersionUID = 1;

    @Override
    public boolean offer(Runnable call) {
      return tryTransfer(call);
    }

    /** Keeps a call. In Java 21.0.2 this would ask {@link #offer}, and lose it (JDK-8323659). */
    @Override
    public void put(Runnable call) {
      boolean ignored = super.offer(call);
    }
  }

  /**
   * Something that may wait for the disk.
   *
   * @param <T> what comes of it
   * @param <E> what it may throw
   */
  @FunctionalInterface
  public interface Call<T, E extends Exception> {
    /** Makes the call. */
    T make() throws E;
  }

  static Thread newThread(Runnable work) {
    Runnable quiet =
        () -> {
          try {
            work.run();
          } catch (OutOfMemoryError e) {
            // It had no call to make, or has made it: the pool lacked memory to wait for another.
          }
        };
    // The thread takes neither its locals nor its class loader from whoever happens to ask first.
    Thread thread = new Thread(null, quiet, "lucene-pread-read", 0, false);
    thread.setDaemon(true);
    return thread;
  }

  /**
   * Returns whether the thread that asks had better not wait itself: it is a virtual one, and a
   * moment ago there was no lack of threads.
   */
  public static boolean areNeeded() {
    return Thread.currentThread().isVirtual() && OF_PROCESS.areThere();
  }

  /**
   * Returns how many threads have handed over a call and have not gone on since, whatever the call
   * is and for whatever file.
   */
  public static int callers() {
    return OF_PROCESS.callers.get();
  }

  /** Returns whether there was no lack of threads a moment ago. */
  boolean areThere() {
    return System.nanoTime() - refusedUntil >= 0;
  }

  /**
   * Has one of the threads make a call, and waits for that, whatever happens: interrupts are
   * neither noticed nor cleared, and when this returns or throws, the call has ended. If there can
   * be no thread, the caller makes the call itself, which may ask meanwhile whether {@linkplain
   * #areNeeded threads are needed}. The caller has made sure of its stack.
   *
   * @return what the call has returned
   * @throws E what the call has thrown
   */
  public static <T, E extends Exception> T make(Call<T, E> call) throws E {
    return OF_PROCESS.makeOne(call);
  }

  /** Implements {@link #make}. */
  <T, E extends Exception> T makeOne(Call<T, E> call) throws E {
    Task<T> task = new Task<>(call);
    callers.incrementAndGet();
    try {
      pool.execute(task);
    } catch (RuntimeException | Error noThread) {
      refusedUntil = System.nanoTime() + RETRY_NANOS;
      // The pool may have kept it, and make a thread for the next one.
      task.run();
    }
    task.await();
    callers.decrementAndGet();
    if (task.failure == null) {
      return task.result;
    }
    task.nameCaller();
    if (task.failure instanceof Error error) {
      throw error;
    }
    // It is one of those that the call may throw, or unchecked.
    @SuppressWarnings("unchecked")
    E failure = (E) task.failure;
    throw failure;
  }

  /** A call, which is made once. */
  private static final class Task<T> implements Runnable {

    private final Call<T, ?> call;
    private final Thread caller = Thread.currentThread();
    private final AtomicBoolean hasBegun = new AtomicBoolean();
    private T result;
    private Throwable failure;
    private volatile boolean hasEnded;

    Task(Call<T, ?> call) {
      this.call = call;
    }

    @Override
    public void run() {
      if (hasBegun.compareAndSet(false, true)) {
        try {
          result = call.make();
        } catch (Exception | Error e) {
          // It belongs to the caller. An error that leaves this thread would end some servers.
          failure = e;
        } finally {
          hasEnded = true;
          LockSupport.unpark(caller);
        }
      }
    }

    /**
     * Has the trace of the failure go on with that of this thread, which has asked for the call.
     */
    void nameCaller() {
      try {
        List<StackTraceElement> trace = new ArrayList<>(List.of(failure.getStackTrace()));
        trace.addAll(List.of(Thread.currentThread().getStackTrace()));
        failure.setStackTrace(trace.toArray(StackTraceElement[]::new));
      } catch (OutOfMemoryError noMemory) {
        // It tells what has failed all the same.
      }
    }

    /** Waits until the call has ended: until then it may write into memory of the caller. */
    void await() {
      boolean isInterrupted = false;
      while (!hasEnded) {
        try {
          LockSupport.park(this);
        } catch (RuntimeException | Error e) {
          // Without memory to park, the caller keeps its carrier.
          Thread.onSpinWait();
        }
        isInterrupted |= Thread.interrupted();
      }
      if (isInterrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
