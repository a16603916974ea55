/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.index;

import dev.pread.benchmarks.StopSignal;
import dev.pread.benchmarks.corpus.Corpus;
import dev.pread.benchmarks.corpus.SourceText;
import dev.pread.benchmarks.report.Progress;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.index.ConcurrentMergeScheduler;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.store.Directory;

/**
 * Indexes a corpus with Lucene's default codec and merge policy, into segments as they come: no
 * forced merge, since few indexes that are searched ever get one.
 */
public final class IndexBuilder {
  /** Few enough flushes for natural segments, small enough for the heap of the demo. */
  private static final double RAM_BUFFER_MB = 96;

  /** A corpus feeds no more: reading it takes turns. */
  private static final int MAX_THREADS = 4;

  private static final long MERGE_POLL_MILLIS = 100;

  private final Corpus corpus;
  private final DocumentMaker maker;
  private final Progress progress;
  private final StopSignal stop;
  private final AtomicLong docs = new AtomicLong();
  private final AtomicLong chars = new AtomicLong();
  private volatile boolean failed;

  /** The corpus stays the caller's to close. */
  public IndexBuilder(Corpus corpus, Progress progress, StopSignal stop) {
    this(corpus, (name, text) -> Documents.of(name, text), progress, stop);
  }

  /** With documents of another kind. */
  public IndexBuilder(Corpus corpus, DocumentMaker maker, Progress progress, StopSignal stop) {
    this.corpus = corpus;
    this.maker = maker;
    this.progress = progress;
    this.stop = stop;
  }

  /** Makes a document of each chunk of text; many threads at the same time. */
  public interface DocumentMaker {
    /**
     * A document.
     *
     * @param name of the file and its first line
     * @param text of it
     * @return null if there are enough
     */
    Document of(String name, String text);
  }

  /**
   * What was indexed.
   *
   * @param docs documents
   * @param chars characters of text in them
   */
  public record Built(long docs, long chars) {}

  /**
   * Indexes all of it, waits for the merges and commits. If stopped, or if anything fails, nothing
   * is committed.
   *
   * @throws IOException if reading or writing failed; see {@link
   *     dev.pread.benchmarks.corpus.CorpusException}
   */
  public Built build(Directory directory) throws IOException {
    return build(directory, IndexWriterConfig.OpenMode.CREATE);
  }

  /** The same, to an index that may be there already. */
  public Built build(Directory directory, IndexWriterConfig.OpenMode mode) throws IOException {
    progress.start("indexing");
    try (StandardAnalyzer analyzer = new StandardAnalyzer()) {
      ConcurrentMergeScheduler merges = new ConcurrentMergeScheduler();
      IndexWriterConfig config =
          new IndexWriterConfig(analyzer)
              .setMergeScheduler(merges)
              .setOpenMode(mode)
              .setRAMBufferSizeMB(RAM_BUFFER_MB);
      IndexWriter writer = new IndexWriter(directory, config);
      try {
        addAll(writer);
        awaitMerges(writer, merges);
        if (!stop.requested()) {
          writer.close();
        }
      } finally {
        if (writer.isOpen()) {
          writer.rollback();
        }
      }
    }
    if (!stop.requested()) {
      progress.finish(String.format(Locale.ROOT, "indexed %,d documents", docs.get()));
    }
    return new Built(docs.get(), chars.get());
  }

  private void addAll(IndexWriter writer) throws IOException {
    int threads = Math.min(MAX_THREADS, Runtime.getRuntime().availableProcessors());
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      List<Future<?>> workers = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        workers.add(pool.submit(() -> addSome(writer)));
      }
      for (Future<?> worker : workers) {
        worker.get();
      }
    } catch (ExecutionException e) {
      throw rethrow(e.getCause());
    } catch (InterruptedException e) {
      throw interrupted(e);
    } finally {
      failed = true;
      pool.close();
    }
  }

  /** Waits by looking, not in {@code close}, which would not notice Ctrl-C until the end. */
  private void awaitMerges(IndexWriter writer, ConcurrentMergeScheduler merges) throws IOException {
    if (stop.requested()) {
      return;
    }
    writer.flush();
    try {
      while (merges.mergeThreadCount() > 0 && !stop.requested()) {
        progress.update(1, "finishing merges");
        Thread.sleep(MERGE_POLL_MILLIS);
      }
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  private Void addSome(IndexWriter writer) throws IOException {
    try {
      SourceText text;
      while (!failed && !stop.requested() && (text = nextText()) != null) {
        for (Chunker.Chunk chunk : Chunker.cut(text)) {
          Document doc = maker.of(text.name() + "#" + chunk.firstLine(), chunk.text());
          if (doc == null) {
            return null;
          }
          writer.addDocument(doc);
          chars.addAndGet(chunk.text().length());
          docs.incrementAndGet();
        }
        progress.update(corpus.progress(), String.format(Locale.ROOT, "%,d documents", docs.get()));
      }
      return null;
    } catch (IOException | RuntimeException | Error e) {
      failed = true;
      throw e;
    }
  }

  private SourceText nextText() throws IOException {
    synchronized (corpus) {
      return corpus.next();
    }
  }

  private IOException interrupted(InterruptedException e) {
    Thread.currentThread().interrupt();
    return new IOException("interrupted while indexing " + corpus.name(), e);
  }

  private static IOException rethrow(Throwable e) {
    if (e instanceof IOException failure) {
      return failure;
    }
    if (e instanceof Error error) {
      throw error;
    }
    throw (RuntimeException) e;
  }
}
