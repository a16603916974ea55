/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.search;

import dev.pread.benchmarks.machine.Load;
import dev.pread.benchmarks.machine.WrongResult;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongUnaryOperator;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.ReaderManager;
import org.apache.lucene.index.Term;
import org.apache.lucene.store.Directory;

/**
 * Writes documents, with flushes and merges beside it, and checks afterwards what the index has.
 * {@link #write} is for any number of threads, the rest for one.
 */
final class Writes implements Closeable {
  /** A size that is small beside the heap, as on a machine that is short of memory. */
  private static final double RAM_BUFFER_MB = 16;

  /** One key of so many is read to check what was written. */
  private static final int READ_EVERY = 32;

  private static final double BYTES_PER_SECOND = 2e6;

  private static final long REFRESH_NANOS = 1_000_000_000L;

  private final Directory directory;
  private final List<String> texts;
  private final boolean adds;
  private final IndexWriter writer;
  private final Load.End end = new Load.End();
  private CompletableFuture<Void> beside;
  private volatile boolean stopped;

  /** The time when documents are next made visible to readers; only the writing thread uses it. */
  private long refresh;

  /**
   * @param adds whether to add documents, instead of replacing some
   */
  Writes(Directory directory, List<String> texts, boolean adds) throws IOException {
    this.directory = directory;
    this.texts = texts;
    this.adds = adds;
    this.writer =
        new IndexWriter(
            directory,
            new IndexWriterConfig(new StandardAnalyzer()).setRAMBufferSizeMB(RAM_BUFFER_MB));
  }

  IndexWriter writer() {
    return writer;
  }

  /** Writes a document of a key, whose text goes by the key and the version. */
  void write(long key, long version) throws IOException {
    String text = texts.get((int) Math.floorMod(key + version, (long) texts.size()));
    Document doc = KeyedDocument.of(key, version, text);
    if (adds) {
      writer.addDocument(doc);
    } else {
      writer.updateDocument(new Term(KeyedDocument.KEY, KeyedDocument.term(key)), doc);
    }
  }

  /**
   * Begins to write in a thread of its own, at a limited rate, and to make documents visible once a
   * second, so that segments are flushed and merged while others read.
   *
   * @param keys the key of each document that is written
   */
  void start(LongUnaryOperator keys, ReaderManager readers) {
    double meanLength = texts.stream().mapToInt(String::length).average().orElse(1);
    double perSecond = Math.max(1, BYTES_PER_SECOND / meanLength);
    refresh = System.nanoTime() + REFRESH_NANOS;
    Load.Request request =
        number -> {
          // What is still due once it is stopped is not written.
          if (!stopped) {
            write(keys.applyAsLong(number), number + 1);
            // This goes by the clock: a writer that lags behind its rate refreshes as often.
            if (System.nanoTime() - refresh >= 0) {
              readers.maybeRefreshBlocking();
              refresh = System.nanoTime() + REFRESH_NANOS;
            }
          }
        };
    beside =
        CompletableFuture.runAsync(
            () -> {
              try {
                Load.open(1, Load.even(perSecond), end, request);
              } catch (IOException e) {
                throw new UncheckedIOException("the writer beside the readers failed", e);
              }
            },
            task -> Thread.ofPlatform().name("limited-writer").daemon().start(task));
  }

  /** Ends the thread of {@link #start}, and checks what it wrote. */
  void finish(long docs) throws IOException {
    stop();
    beside.join();
    writer.commit();
    verify(docs);
  }

  private void stop() {
    stopped = true;
    end.now();
  }

  /**
   * Checks how many documents were committed, and that some are whole.
   *
   * @throws WrongResult if not
   */
  void verify(long docs) throws IOException {
    try (DirectoryReader reader = DirectoryReader.open(directory)) {
      if (reader.numDocs() != docs) {
        throw new WrongResult(
            "the index has " + reader.numDocs() + " documents, and " + docs + " are to be there");
      }
      KeyReader keys = new KeyReader(reader);
      // Where a load ended, a key may have been drawn and not written.
      for (long key = 0; key < docs / 2; key += READ_EVERY) {
        keys.fetch(key);
      }
    }
  }

  void clear() throws IOException {
    writer.deleteAll();
  }

  /** Gives up merges that still run: nobody measures them. */
  @Override
  public void close() throws IOException {
    stop();
    writer.rollback();
  }
}
