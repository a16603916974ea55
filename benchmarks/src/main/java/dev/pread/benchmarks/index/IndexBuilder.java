/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.index;

import dev.pread.benchmarks.machine.Load;
import dev.pread.benchmarks.machine.Progress;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.IntPoint;
import org.apache.lucene.document.KnnFloatVectorField;
import org.apache.lucene.document.NumericDocValuesField;
import org.apache.lucene.document.StoredField;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.ConcurrentMergeScheduler;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.VectorSimilarityFunction;
import org.apache.lucene.store.Directory;
import org.apache.lucene.util.VectorUtil;

/**
 * Indexes a text with Lucene's default codec and merge policy, into segments as they come: no
 * forced merge, since few indexes that are searched ever get one.
 *
 * @param feed what to index; it stays the caller's to close
 * @param maker makes the documents; of many threads at the same time
 */
public record IndexBuilder(
    TextFeed feed, Function<TextFeed.Chunk, Document> maker, Progress progress) {
  /** A size that gives natural segments and is small enough for the heap of the demo. */
  private static final double RAM_BUFFER_MB = 96;

  /** More threads would wait for the text, which is read by one at a time. */
  private static final int MAX_THREADS = 4;

  private static final long MERGE_POLL_NANOS = 100_000_000;
  private static final int DIMENSIONS = 64;
  private static final Pattern WORD = Pattern.compile("[\\p{L}\\p{Nd}]+");

  /** Builds an index of all that a corpus has; returns the number of its documents. */
  public static long build(Directory directory, Path corpus, Progress progress) throws IOException {
    try (TextFeed feed = TextFeed.open(corpus)) {
      new IndexBuilder(feed, IndexBuilder::document, progress).build(directory);
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
      Load.run(
          Math.min(MAX_THREADS, Runtime.getRuntime().availableProcessors()),
          times -> addAll(writer));
      writer.flush();
      // This waits by looking: close would not notice Ctrl-C until the last merge has ended.
      while (merges.mergeThreadCount() > 0) {
        progress.update(1, "merging");
        LockSupport.parkNanos(MERGE_POLL_NANOS);
      }
      writer.commit();
    }
    progress.finish(String.format(Locale.ROOT, "indexed %,d documents", feed.taken()));
  }

  private void addAll(IndexWriter writer) throws IOException {
    TextFeed.Chunk chunk;
    while (!Thread.currentThread().isInterrupted() && (chunk = feed.next()) != null) {
      writer.addDocument(maker.apply(chunk));
      progress.update(feed.share(), chunk.number() + 1 + " documents");
    }
  }

  /**
   * Makes the document of one chunk: its key; its words, with positions; its text, stored; doc
   * values that have no points beside them, so that a sort has to read them; points; and a vector.
   */
  private static Document document(TextFeed.Chunk chunk) {
    String text = chunk.text();
    Set<String> words = new HashSet<>();
    int count = 0;
    for (Matcher word = WORD.matcher(text.toLowerCase(Locale.ROOT)); word.find(); count++) {
      words.add(word.group());
    }
    Document doc = new Document();
    doc.add(new StringField("id", chunk.file() + "#" + chunk.line(), Field.Store.YES));
    doc.add(new TextField("body", text, Field.Store.NO));
    doc.add(new StoredField("source", text));
    doc.add(new NumericDocValuesField("words", count));
    doc.add(new IntPoint("length", text.length()));
    float[] vector = vector(words);
    if (VectorUtil.dotProduct(vector, vector) > 0) {
      VectorUtil.l2normalize(vector);
      doc.add(new KnnFloatVectorField("vector", vector, VectorSimilarityFunction.DOT_PRODUCT));
    }
    return doc;
  }

  /**
   * Turns words into a vector without any model, by a random projection: each word's hash has as
   * many bits as there are dimensions, and each bit adds or subtracts one in its dimension, so that
   * texts that share words lie close together. This is the sign variant of Achlioptas,
   * "Database-friendly random projections" (2003).
   */
  private static float[] vector(Set<String> words) {
    float[] sums = new float[DIMENSIONS];
    for (String word : words) {
      long bits = new SplittableRandom(word.hashCode()).nextLong();
      for (int d = 0; d < DIMENSIONS; d++) {
        sums[d] += 1 - ((bits >>> d & 1) << 1);
      }
    }
    return sums;
  }
}
