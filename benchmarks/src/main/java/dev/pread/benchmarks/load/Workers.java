/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.load;

import dev.pread.benchmarks.HitMismatch;
import dev.pread.benchmarks.UserError;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntFunction;

/** Threads that do the same work at the same time. */
public final class Workers {
  private Workers() {}

  /**
   * Runs a number of threads to their end.
   *
   * @param worker makes the work of each, by its number from 0
   * @return their results, by number
   * @throws IOException the first failure of any; the others are interrupted then
   */
  public static <T> List<T> run(int threads, IntFunction<Callable<T>> worker)
      throws IOException, UserError, HitMismatch {
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      ExecutorCompletionService<T> completion = new ExecutorCompletionService<>(pool);
      List<Future<T>> futures = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        futures.add(completion.submit(worker.apply(i)));
      }
      for (int i = 0; i < threads; i++) {
        completion.take().get();
      }
      List<T> results = new ArrayList<>();
      for (Future<T> future : futures) {
        results.add(future.get());
      }
      return results;
    } catch (ExecutionException e) {
      throw rethrow(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while measuring", e);
    } finally {
      pool.shutdownNow();
    }
  }

  /** Waits for the other threads. */
  public static void await(CyclicBarrier barrier) throws InterruptedException {
    try {
      barrier.await();
    } catch (BrokenBarrierException e) {
      throw new IllegalStateException("another thread failed", e);
    }
  }

  private static IOException rethrow(Throwable e) throws UserError, HitMismatch {
    if (e instanceof IOException failure) {
      return failure;
    }
    if (e instanceof UserError error) {
      throw error;
    }
    if (e instanceof HitMismatch mismatch) {
      throw mismatch;
    }
    if (e instanceof Error error) {
      throw error;
    }
    if (e instanceof RuntimeException failure) {
      throw failure;
    }
    return new IOException(e);
  }
}
