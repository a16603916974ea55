/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.scenario;

import dev.pread.benchmarks.measure.HitMismatch;
import java.io.Closeable;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.ReaderManager;
import org.apache.lucene.index.Term;
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

  private final Directory directory;
  private final IndexWriter writer;
  private final ReaderManager readers;
  private final Bodies bodies;
  private final Load load;
  private final Newest newest = new Newest();
  private final long keys;
  private final Thread thread = new Thread(this::write, "limited-writer");
  private volatile boolean stopped;
  private final AtomicLong bytes = new AtomicLong();
  private volatile Throwable failure;

  private LimitedWriter(Directory directory, Bodies bodies, Load load) throws IOException {
    this.directory = directory;
    this.bodies = bodies;
    this.load = load;
    this.writer = new IndexWriter(directory, WriteWork.config());
    this.readers = new ReaderManager(writer);
    DirectoryReader reader = readers.acquire();
    try {
      this.keys = reader.numDocs();
    } finally {
      readers.release(reader);
    }
  }

  /** Begins to write. */
  static LimitedWriter start(Directory directory, Bodies bodies, Load load) throws IOException {
    LimitedWriter limited = new LimitedWriter(directory, bodies, load);
    limited.thread.setDaemon(true);
    limited.thread.start();
    return limited;
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
        if (bytes.get() > load.writerBytesPerSecond() * (now - start) / 1e9) {
          LockSupport.parkNanos(NAP_NANOS);
        } else {
          bytes.addAndGet(overwrite(number++));
        }
      }
    } catch (IOException | RuntimeException | Error e) {
      failure = e;
    }
  }

  private int overwrite(long version) throws IOException {
    long key = load.key(PHASE, version, keys);
    String body = bodies.get(key + version);
    Term term = new Term(KeyedDocument.KEY, KeyedDocument.term(key));
    newest.write(
        key, version, () -> writer.updateDocument(term, KeyedDocument.of(key, version, body)));
    return body.length();
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
    writer.commit();
    try (DirectoryReader reader = DirectoryReader.open(directory)) {
      newest.check(reader, keys);
    }
  }

  @Override
  public void close() throws IOException {
    stopped = true;
    // Merges that still run are given up: nobody measures them.
    writer.rollback();
  }
}
