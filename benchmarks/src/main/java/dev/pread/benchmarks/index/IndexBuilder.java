/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.index;

import dev.pread.benchmarks.Progress;
import dev.pread.benchmarks.StopSignal;
import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.machine.Workers;
import java.io.IOException;
import java.util.Locale;
import java.util.function.Function;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.index.ConcurrentMergeScheduler;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.store.Directory;
import org.apache.lucene.util.IOSupplier;

/**
 * Indexes a text with Lucene's default codec and merge policy, into segments as they come: no
 * forced merge, since few indexes that are searched ever get one.
 */
public final class IndexBuilder {
  /** Few enough flushes for natural segments, small enough for the heap of the demo. */
  private static final double RAM_BUFFER_MB = 96;

  /** More of them would wait for the text, which is read by one at a time. */
  private static final int MAX_THREADS = 4;

  private static final long MERGE_POLL_MILLIS = 100;

  private final TextFeed feed;
  private final Function<TextFeed.Chunk, Document> maker;
  private final Progress progress;
  private final StopSignal stop;

  /**
   * @param feed what to index; it stays the caller's to close
   * @param maker makes the documents; of many threads at the same time
   */
  public IndexBuilder(
      TextFeed feed, Function<TextFeed.Chunk, Document> maker, Progress progress, StopSignal stop) {
    this.feed = feed;
    this.maker = maker;
    this.progress = progress;
    this.stop = stop;
  }

  /** Builds an index of all that a corpus has; returns the number of its documents. */
  public static long build(
      Directory directory, IOSupplier<Corpus> source, Progress progress, StopSignal stop)
      throws IOException {
    try (TextFeed feed = new TextFeed(source)) {
      new IndexBuilder(feed, TextDocuments::of, progress, stop).build(directory);
      return feed.taken();
    }
  }

  /**
   * Indexes all that the feed has, waits for the merges and commits: into a new index if nothing
   * was taken of the feed yet, else on top. If stopped, or if anything fails, nothing is committed.
   *
   * @throws IOException if reading or writing failed
   * @throws UserError if there is no text
   */
  public void build(Directory directory) throws IOException {
    progress.start("indexing");
    ConcurrentMergeScheduler merges = new ConcurrentMergeScheduler();
    IndexWriterConfig config =
        new IndexWriterConfig(new StandardAnalyzer())
            .setMergeScheduler(merges)
            .setOpenMode(
                feed.taken() == 0
                    ? IndexWriterConfig.OpenMode.CREATE
                    : IndexWriterConfig.OpenMode.APPEND)
            .setRAMBufferSizeMB(RAM_BUFFER_MB);
    IndexWriter writer = new IndexWriter(directory, config);
    try {
      addAll(writer);
      awaitMerges(writer, merges);
      if (!stop.requested()) {
        writer.close();
        progress.finish(String.format(Locale.ROOT, "indexed %,d documents", feed.taken()));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while indexing", e);
    } finally {
      if (writer.isOpen()) {
        writer.rollback();
      }
    }
  }

  private void addAll(IndexWriter writer) throws IOException {
    int threads = Math.min(MAX_THREADS, Runtime.getRuntime().availableProcessors());
    Workers.run(
        threads,
        () -> {
          TextFeed.Chunk chunk;
          while (!Thread.currentThread().isInterrupted()
              && !stop.requested()
              && (chunk = feed.next()) != null) {
            writer.addDocument(maker.apply(chunk));
            progress.update(
                feed.share(), String.format(Locale.ROOT, "%,d documents", chunk.number() + 1));
          }
          return null;
        });
  }

  /** Waits by looking, not in {@code close}, which would not notice Ctrl-C until the end. */
  private void awaitMerges(IndexWriter writer, ConcurrentMergeScheduler merges)
      throws IOException, InterruptedException {
    if (!stop.requested()) {
      writer.flush();
    }
    while (merges.mergeThreadCount() > 0 && !stop.requested()) {
      progress.update(1, "finishing merges");
      Thread.sleep(MERGE_POLL_MILLIS);
    }
  }
}
