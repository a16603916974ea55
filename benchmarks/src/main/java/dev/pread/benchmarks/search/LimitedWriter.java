/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.search;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongUnaryOperator;
import org.apache.lucene.index.ReaderManager;

/**
 * A thread that overwrites documents by random key at a limited rate, and makes them visible once a
 * second, so that segments are flushed and merged while others read.
 */
final class LimitedWriter implements Closeable {
  /** Of texts. */
  private static final double BYTES_PER_SECOND = 2e6;

  private static final long REFRESH_NANOS = 1_000_000_000L;
  private static final long NAP_NANOS = 5_000_000L;

  private final Writes writes;
  private final LongUnaryOperator keys;
  private final ReaderManager readers;
  private CompletableFuture<Void> writing;
  private volatile long bytes;
  private volatile boolean stopped;

  /**
   * Does not begin yet.
   *
   * @param writes to write with; closed with this
   * @param keys the key of each document that is written
   */
  LimitedWriter(Writes writes, LongUnaryOperator keys) throws IOException {
    this.writes = writes;
    this.keys = keys;
    this.readers = new ReaderManager(writes.writer());
  }

  /** Begins to write. */
  LimitedWriter start() {
    writing =
        CompletableFuture.runAsync(
            this::write, task -> Thread.ofPlatform().name("limited-writer").daemon().start(task));
    return this;
  }

  /** The readers that see what was written; whoever takes them closes them. */
  ReaderManager readers() {
    return readers;
  }

  /** Written so far, of texts. */
  long bytes() {
    return bytes;
  }

  @SuppressWarnings("NonAtomicVolatileUpdate") // One thread counts, others look.
  private void write() {
    long start = System.nanoTime();
    long refresh = start + REFRESH_NANOS;
    try {
      for (long number = 1; !stopped; ) {
        long now = System.nanoTime();
        if (now - refresh >= 0) {
          readers.maybeRefreshBlocking();
          refresh = System.nanoTime() + REFRESH_NANOS;
        }
        if (bytes > BYTES_PER_SECOND * (now - start) / 1e9) {
          LockSupport.parkNanos(NAP_NANOS);
        } else {
          bytes += writes.write(keys.applyAsLong(number), number);
          number++;
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
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

  /**
   * Ends it, and checks that the index has what was written last.
   *
   * @param docs that are to be there
   */
  void finish(long docs) throws IOException {
    stopped = true;
    await();
    writes.writer().commit();
    writes.verify(docs);
  }

  @Override
  public void close() throws IOException {
    stopped = true;
    writes.close();
  }
}
