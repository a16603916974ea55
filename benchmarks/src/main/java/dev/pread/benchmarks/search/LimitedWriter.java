/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.search;

import dev.pread.benchmarks.machine.Load;
import java.io.Closeable;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongUnaryOperator;
import org.apache.lucene.index.ReaderManager;

/**
 * Overwrites documents by random key in a thread of its own, at a limited rate, and makes them
 * visible once a second, so that segments are flushed and merged while others read.
 */
final class LimitedWriter implements Closeable {
  /** The rate at which texts are written. */
  private static final double BYTES_PER_SECOND = 2e6;

  private static final long REFRESH_NANOS = 1_000_000_000L;

  private final Writes writes;
  private final ReaderManager readers;
  private final LongAdder bytes = new LongAdder();
  private final Load.End end = new Load.End();
  private CompletableFuture<Load.Outcome> writing;
  private volatile boolean stopped;

  /** When documents are next made visible; the writing thread's alone. */
  private long refresh;

  private LimitedWriter(Writes writes) throws IOException {
    this.writes = writes;
    this.readers = new ReaderManager(writes.writer());
  }

  /**
   * Begins to write.
   *
   * @param writes to write with; closed with this
   * @param keys the key of each document that is written
   */
  static LimitedWriter start(Writes writes, LongUnaryOperator keys) throws IOException {
    LimitedWriter writer = new LimitedWriter(writes);
    int perSecond = (int) Math.max(1, BYTES_PER_SECOND / writes.meanLength());
    writer.writing =
        CompletableFuture.supplyAsync(
            () -> writer.write(keys, perSecond),
            task -> Thread.ofPlatform().name("limited-writer").daemon().start(task));
    return writer;
  }

  private Load.Outcome write(LongUnaryOperator keys, int perSecond) {
    refresh = System.nanoTime() + REFRESH_NANOS;
    try {
      return Load.open(
          1,
          Load.even(perSecond),
          end,
          number -> {
            // What is still due once it is stopped is not written.
            if (!stopped) {
              bytes.add(writes.write(keys.applyAsLong(number), number + 1));
              // By the clock: a writer that lags behind its rate refreshes as often.
              if (System.nanoTime() - refresh >= 0) {
                readers.maybeRefreshBlocking();
                refresh = System.nanoTime() + REFRESH_NANOS;
              }
            }
          });
    } catch (IOException e) {
      throw new CompletionException(e);
    }
  }

  /** Returns the readers that see what was written; whoever takes them closes them. */
  ReaderManager readers() {
    return readers;
  }

  /** Returns the bytes of the texts written so far. */
  long bytes() {
    return bytes.sum();
  }

  /** Fails if the writer has. */
  void checkAlive() throws IOException {
    if (writing.isDone()) {
      await();
    }
  }

  private void await() throws IOException {
    try {
      writing.join();
    } catch (CompletionException e) {
      throw new IOException("the writer beside the readers failed: " + e.getCause(), e);
    }
  }

  /** Ends it, and checks that the index has what was written last. */
  void finish(long docs) throws IOException {
    stop();
    await();
    writes.writer().commit();
    writes.verify(docs);
  }

  private void stop() {
    stopped = true;
    end.now();
  }

  @Override
  public void close() throws IOException {
    stop();
    writes.close();
  }
}
