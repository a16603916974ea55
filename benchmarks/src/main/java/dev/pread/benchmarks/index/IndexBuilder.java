/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.index;

import dev.pread.benchmarks.machine.Progress;
import dev.pread.benchmarks.machine.StopSignal;
import dev.pread.benchmarks.machine.Workers;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.function.Function;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.index.ConcurrentMergeScheduler;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.store.Directory;

/**
 * Indexes a text with Lucene's default codec and merge policy, into segments as they come: no
 * forced merge, since few indexes that are searched ever get one.
 *
 * @param feed what to index; it stays the caller's to close
 * @param maker makes the documents; of many threads at the same time
 */
public record IndexBuilder(
    TextFeed feed, Function<TextFeed.Chunk, Document> maker, Progress progress, StopSignal stop) {
  /** A size that gives natural segments and is small enough for the heap of the demo. */
  private static final double RAM_BUFFER_MB = 96;

  /** More threads would wait for the text, which is read by one at a time. */
  private static final int MAX_THREADS = 4;

  private static final long MERGE_POLL_MILLIS = 100;

  /** Builds an index of all that a corpus has; returns the number of its documents. */
  public static long build(Directory directory, Path corpus, Progress progress, StopSignal stop)
      throws IOException {
    try (TextFeed feed = TextFeed.open(corpus)) {
      new IndexBuilder(feed, TextDocuments::of, progress, stop).build(directory);
      return feed.taken();
    }
  }

  /**
   * Indexes all that the feed has on top of what is there, waits for the merges and commits. If
   * stopped, or if anything else fails, nothing is committed.
   */
  public void build(Directory directory) throws IOException {
    progress.start("indexing");
    ConcurrentMergeScheduler merges = new ConcurrentMergeScheduler();
    IndexWriterConfig config =
        new IndexWriterConfig(new StandardAnalyzer())
            .setMergeScheduler(merges)
            .setCommitOnClose(false)
            .setRAMBufferSizeMB(RAM_BUFFER_MB);
    try (IndexWriter writer = new IndexWriter(directory, config)) {
      Workers.run(
          Math.min(MAX_THREADS, Runtime.getRuntime().availableProcessors()), () -> addAll(writer));
      writer.flush();
      // By looking, not in close, which would not notice Ctrl-C until the end.
      while (merges.mergeThreadCount() > 0) {
        stop.check();
        Thread.sleep(MERGE_POLL_MILLIS);
      }
      writer.commit();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while indexing", e);
    }
    progress.finish(String.format(Locale.ROOT, "indexed %,d documents", feed.taken()));
  }

  private Void addAll(IndexWriter writer) throws IOException {
    TextFeed.Chunk chunk;
    while (!Thread.currentThread().isInterrupted() && (chunk = feed.next()) != null) {
      stop.check();
      writer.addDocument(maker.apply(chunk));
      progress.update(feed.share(), chunk.number() + 1 + " documents");
    }
    return null;
  }
}
