/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.machine;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.lucene.util.IOUtils;

/** Runs threads that do the same work at the same time. */
public final class Workers {
  private Workers() {}

  /** Runs a number of threads to their end; the first failure of any interrupts the others. */
  public static <T> List<T> run(int threads, Callable<T> work) throws IOException {
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      ExecutorCompletionService<T> completion = new ExecutorCompletionService<>(pool);
      for (int i = 0; i < threads; i++) {
        completion.submit(work);
      }
      List<T> results = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        results.add(completion.take().get());
      }
      return results;
    } catch (ExecutionException e) {
      throw IOUtils.rethrowAlways(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while measuring", e);
    } finally {
      // They end before the files go that they work on.
      pool.shutdownNow();
      pool.close();
    }
  }
}
