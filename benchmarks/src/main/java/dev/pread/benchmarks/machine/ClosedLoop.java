/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.machine;

import java.io.IOException;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * Threads that send their next request when the one before is answered: what throughput is measured
 * by. Its latencies are plain ones; while a thread is stuck it sends nothing that would feel it.
 */
public final class ClosedLoop {
  private ClosedLoop() {}

  /**
   * Serves requests for a time; each thread has numbers of its own.
   *
   * @throws IOException the first failure of any thread; the others are interrupted then
   * @return the latencies of all, nanoseconds
   */
  public static Histogram run(int threads, double seconds, OpenLoop.Request request)
      throws IOException {
    List<Histogram> histograms =
        Workers.run(
            threads,
            thread ->
                () -> {
                  Histogram histogram = new Histogram(3);
                  long end = System.nanoTime() + (long) (seconds * 1e9);
                  long before = System.nanoTime();
                  for (long i = thread; before - end < 0; i += threads) {
                    request.serve(i);
                    long after = System.nanoTime();
                    histogram.recordValue(after - before);
                    before = after;
                    if (Thread.interrupted()) {
                      throw new InterruptedException("another thread failed");
                    }
                  }
                  return histogram;
                });
    Histogram all = new Histogram(3);
    histograms.forEach(all::add);
    return all;
  }
}
