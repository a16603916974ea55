/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.scenario;

import dev.pread.benchmarks.HitMismatch;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.apache.lucene.index.ReaderManager;
import org.apache.lucene.store.Directory;

/**
 * A thread that overwrites documents by random key at a limited rate, and makes them visible once a
 * second, so that segments are flushed and merged while others read.
 */
final class LimitedWriter implements Closeable {
  private static final long REFRESH_NANOS = 1_000_000_000L;
  private static final long NAP_NANOS = 5_000_000L;

  /** Draws keys of its own. */
  private static final int PHASE = 100;

  private final Writes writes;
  private final ReaderManager readers;
  private final Load load;
  private final long keys;
  private final Thread thread = new Thread(this::write, "limited-writer");
  private final AtomicLong bytes = new AtomicLong();
  private volatile boolean stopped;
  private volatile Throwable failure;

  /**
   * Does not begin yet.
   *
   * @param keys that there are
   */
  LimitedWriter(Directory directory, List<String> texts, Load load, long keys) throws IOException {
    this.load = load;
    this.keys = keys;
    this.writes = new Writes(directory, texts, false);
    this.readers = new ReaderManager(writes.writer());
    thread.setDaemon(true);
  }

  /** Begins to write. */
  void start() {
    thread.start();
  }

  /** The readers that see what was written; whoever takes them closes them. */
  ReaderManager readers() {
    return readers;
  }

  /** Written so far, of texts. */
  long bytes() {
    return bytes.get();
  }

  private void write() {
    try {
      long start = System.nanoTime();
      long refresh = start + REFRESH_NANOS;
      for (long number = 1; !stopped; ) {
        long now = System.nanoTime();
        if (now - refresh >= 0) {
          readers.maybeRefreshBlocking();
          refresh = System.nanoTime() + REFRESH_NANOS;
        }
        if (bytes.get() > Load.WRITER_BYTES_PER_SECOND * (now - start) / 1e9) {
          LockSupport.parkNanos(NAP_NANOS);
        } else {
          bytes.addAndGet(writes.write(load.key(PHASE, number, keys), number));
          number++;
        }
      }
    } catch (IOException | RuntimeException | Error e) {
      failure = e;
    }
  }

  /** Fails if the writer has. */
  void checkAlive() throws IOException {
    Throwable e = failure;
    if (e != null) {
      throw new IOException("the writer beside the readers failed: " + e, e);
    }
  }

  /** Ends it, and checks that the index has what was written last. */
  void finish() throws IOException, HitMismatch {
    stopped = true;
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while the writer was ending", e);
    }
    checkAlive();
    writes.writer().commit();
    writes.verify(keys);
  }

  @Override
  public void close() throws IOException {
    stopped = true;
    writes.close();
  }
}
