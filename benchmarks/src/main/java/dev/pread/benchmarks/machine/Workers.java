/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.machine;

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
import org.apache.lucene.util.IOUtils;

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
  public static <T> List<T> run(int threads, IntFunction<Callable<T>> worker) throws IOException {
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
      return futures.stream().map(Future::resultNow).toList();
    } catch (ExecutionException e) {
      throw IOUtils.rethrowAlways(e.getCause());
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
}
