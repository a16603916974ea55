/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.posix.Backend;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.NumericDocValuesField;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.SerialMergeScheduler;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.SearcherManager;
import org.apache.lucene.search.Sort;
import org.apache.lucene.search.SortField;
import org.apache.lucene.search.TermQuery;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A real index: one thread writes and reopens, others search and are interrupted all the time.
 *
 * <p>The searchers have a directory of their own. Were their readers the writer's, the last to let
 * go of one would delete its files, for which Lucene looks at the write lock, which is a {@code
 * FileChannel}: that would be closed by an interrupt, whatever directory the index is in.
 */
class SearchUnderInterruptsTest {

  private static final int SEARCHERS = 3;
  private static final int BATCHES = 16;
  private static final int BATCH = 60;
  private static final int SEARCHES_WANTED = 200;
  private static final int INTERRUPTS_WANTED = 200;

  @TempDir Path folder;

  private final LongAdder searches = new LongAdder();
  private final LongAdder interrupts = new LongAdder();
  private final AtomicInteger atWork = new AtomicInteger(SEARCHERS);
  private final List<AtomicReference<Thread>> targets =
      IntStream.range(0, SEARCHERS).mapToObj(i -> new AtomicReference<Thread>()).toList();

  private static Document document(int id) {
    Document document = new Document();
    document.add(new StringField("id", "" + id, Field.Store.YES));
    document.add(new NumericDocValuesField("number", id));
    document.add(new TextField("text", "all w" + id % 7 + " v" + id % 50, Field.Store.YES));
    return document;
  }

  /** Whatever a search finds must be what was written. */
  private static void search(SearcherManager manager, Random random) throws IOException {
    IndexSearcher searcher = manager.acquire();
    try {
      int word = random.nextInt(7);
      var hits =
          searcher.search(
              new TermQuery(new Term("text", "w" + word)),
              20,
              new Sort(new SortField("number", SortField.Type.LONG, true)));
      long before = Long.MAX_VALUE;
      for (ScoreDoc hit : hits.scoreDocs) {
        Document found = searcher.storedFields().document(hit.doc);
        int id = Integer.parseInt(found.get("id"));
        assertEquals(word, id % 7);
        assertEquals(document(id).get("text"), found.get("text"));
        assertTrue(id < before, "sorted by doc values");
        before = id;
      }
      assertEquals(
          searcher.getIndexReader().numDocs(),
          searcher.count(new TermQuery(new Term("text", "all"))));
    } finally {
      manager.release(searcher);
    }
  }

  private void searchAndBeInterrupted(SearcherManager manager, int thread) throws IOException {
    Random random = new Random(Fixtures.SEED + thread);
    targets.get(thread).set(Thread.currentThread());
    try {
      int seen = 0;
      for (int i = 0; i < SEARCHES_WANTED || seen < INTERRUPTS_WANTED; i++) {
        search(manager, random);
        searches.increment();
        if (Thread.interrupted()) {
          seen++;
          interrupts.increment();
        }
      }
    } finally {
      targets.get(thread).set(null);
      atWork.decrementAndGet();
    }
  }

  private void interrupt() {
    while (atWork.get() > 0) {
      for (AtomicReference<Thread> target : targets) {
        Thread thread = target.get();
        if (thread != null) {
          thread.interrupt();
        }
      }
      Thread.onSpinWait();
    }
  }

  private static void write(IndexWriter writer, SearcherManager manager) throws IOException {
    for (int batch = 1; batch < BATCHES; batch++) {
      for (int i = 0; i < BATCH; i++) {
        writer.addDocument(document(batch * BATCH + i));
      }
      writer.deleteDocuments(new Term("id", "" + batch));
      writer.commit();
      manager.maybeRefreshBlocking();
    }
    writer.forceMerge(1);
    writer.commit();
    manager.maybeRefreshBlocking();
  }

  @Test
  void interruptedSearchesFindWhatWasWrittenAndHarmNobody() throws Exception {
    Backend backend = new Backend(Fixtures.backend().calls());
    PreadConfig config = PreadConfig.builder().bufferSize(128).build();
    try (PreadDirectory directory = Fixtures.directory(folder, config, backend);
        PreadDirectory searched = Fixtures.directory(folder, config, backend)) {
      IndexWriterConfig writerConfig =
          new IndexWriterConfig(new StandardAnalyzer())
              .setMaxBufferedDocs(40)
              .setRAMBufferSizeMB(IndexWriterConfig.DISABLE_AUTO_FLUSH)
              .setMergeScheduler(new SerialMergeScheduler());
      try (IndexWriter writer = new IndexWriter(directory, writerConfig)) {
        for (int i = 0; i < BATCH; i++) {
          writer.addDocument(document(i));
        }
        writer.commit();
        try (SearcherManager manager = new SearcherManager(searched, null)) {
          Fixtures.inThreads(
              SEARCHERS + 2,
              thread -> {
                if (thread < SEARCHERS) {
                  searchAndBeInterrupted(manager, thread);
                } else if (thread == SEARCHERS) {
                  interrupt();
                } else {
                  write(writer, manager);
                }
              });
          Random random = new Random(Fixtures.SEED);
          for (int i = 0; i < 20; i++) {
            search(manager, random);
          }
          IndexSearcher searcher = manager.acquire();
          assertEquals(BATCHES * BATCH - (BATCHES - 1), searcher.getIndexReader().numDocs());
          manager.release(searcher);
        }
      }
      assertTrue(searches.sum() >= (long) SEARCHERS * SEARCHES_WANTED);
      assertTrue(interrupts.sum() >= (long) SEARCHERS * INTERRUPTS_WANTED);
    }
    assertEquals(0, backend.openFiles());
    assertEquals(0, Fixtures.descriptorsIn(folder));
  }
}
