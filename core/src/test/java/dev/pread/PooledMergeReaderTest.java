/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.posix.FaultSystemCalls.Function;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.NumericDocValuesField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.NoMergePolicy;
import org.apache.lucene.index.SerialMergeScheduler;
import org.apache.lucene.index.StoredFields;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.Sort;
import org.apache.lucene.search.SortField;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FilterDirectory;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.apache.lucene.store.IndexOutput;
import org.apache.lucene.util.Version;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * {@code IndexWriter} keeps the readers that a merge has opened, and gives them to a near-real-time
 * search that comes meanwhile. Their files were opened for the merge, and are then read like a
 * search reads.
 */
class PooledMergeReaderTest extends BackendTestCase {

  private static final int SEGMENTS = 3;
  private static final int DOCUMENTS = 1500;

  private final BlockCache cache = Fixtures.tinyCache(4096, 12);

  @AfterEach
  void close() throws Exception {
    cache.close();
  }

  /** Stops the first merge before it writes anything, with all its readers open. */
  private static final class HeldMerge extends FilterDirectory {

    private final List<String> openedForMerge = new CopyOnWriteArrayList<>();
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch mayGoOn = new CountDownLatch(1);

    HeldMerge(Directory directory) {
      super(directory);
    }

    @Override
    public IndexInput openInput(String name, IOContext context) throws IOException {
      if (LuceneCalls.kind(context) == IOContext.Context.MERGE) {
        openedForMerge.add(name);
      }
      return in.openInput(name, context);
    }

    @Override
    public IndexOutput createOutput(String name, IOContext context) throws IOException {
      if (LuceneCalls.kind(context) == IOContext.Context.MERGE) {
        begun.countDown();
        Fixtures.awaitQuietly(mayGoOn);
      }
      return in.createOutput(name, context);
    }
  }

  private static void index(Directory directory, boolean compound) throws IOException {
    IndexWriterConfig config =
        new IndexWriterConfig()
            .setUseCompoundFile(compound)
            .setMergePolicy(NoMergePolicy.INSTANCE)
            .setRAMBufferSizeMB(64);
    Random random = new Random(Fixtures.SEED);
    try (IndexWriter writer = new IndexWriter(directory, config)) {
      for (int i = 0; i < SEGMENTS * DOCUMENTS; i++) {
        StringBuilder body = new StringBuilder();
        for (int j = 0; j < 50; j++) {
          body.append(" w").append(random.nextInt(5000));
        }
        Document document = new Document();
        document.add(new TextField("body", body.toString(), Field.Store.YES));
        document.add(new NumericDocValuesField("rank", random.nextInt(1 << 30)));
        writer.addDocument(document);
        if (i % DOCUMENTS == DOCUMENTS - 1) {
          writer.flush();
        }
      }
    }
  }

  private static List<String> search(IndexSearcher searcher, long seed) throws IOException {
    Random random = new Random(seed);
    List<String> found = new ArrayList<>();
    StoredFields stored = searcher.storedFields();
    Sort byRank = new Sort(new SortField("rank", SortField.Type.LONG));
    for (int i = 0; i < 20; i++) {
      TermQuery query = new TermQuery(new Term("body", "w" + random.nextInt(5000)));
      for (ScoreDoc hit : searcher.search(query, 5).scoreDocs) {
        found.add(hit.doc + " " + stored.document(hit.doc).get("body").hashCode());
      }
      for (ScoreDoc hit : searcher.search(query, 5, byRank).scoreDocs) {
        found.add("" + hit.doc);
      }
    }
    return found;
  }

  private long reads() {
    return faults.count(Function.PREAD) + faults.count(Function.PREADV);
  }

  private static IndexWriterConfig writerConfig() {
    return new IndexWriterConfig()
        .setMergeScheduler(new SerialMergeScheduler())
        .setMaxFullFlushMergeWaitMillis(0);
  }

  /** Compound files Lucene opens without the context of the merge, from version 10 on. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void searchesOfAReaderThatAMergeHasOpenedJoinTheCache(boolean compound) throws Exception {
    try (Directory directory = Fixtures.directory(folder, PreadConfig.DEFAULT, cache, backend)) {
      index(directory, compound);
      HeldMerge held = new HeldMerge(directory);
      try (IndexWriter writer = new IndexWriter(held, writerConfig())) {
        Fixtures.inThreads(
            2,
            thread -> {
              if (thread == 0) {
                writer.forceMerge(1);
              } else {
                try {
                  Fixtures.await(held.begun);
                  searchMeanwhile(writer);
                  assertEquals(
                      compound && Version.LATEST.major >= 10, held.openedForMerge.isEmpty());
                } finally {
                  held.mayGoOn.countDown();
                }
              }
            });
      }
    }
  }

  private void searchMeanwhile(IndexWriter writer) throws IOException {
    long blocksBefore = cache.stats().blocks();
    try (DirectoryReader reader = DirectoryReader.open(writer)) {
      assertEquals(SEGMENTS, reader.leaves().size());
      IndexSearcher searcher = new IndexSearcher(reader);
      List<String> found = search(searcher, 1);
      assertTrue(found.size() > 100, found::toString);
      for (int i = 0; i < 10; i++) {
        assertEquals(found, search(searcher, 1));
      }
      faults.forget();
      assertEquals(found, search(searcher, 1));
      assertEquals(0, reads(), "reads of a search that has been made before");
      assertTrue(cache.stats().blocks() > blocksBefore, cache.stats()::toString);
    }
  }

  /** Which is why its files are opened past the cache. */
  @Test
  void theMergeAloneLeavesHardlyAnythingInTheCache() throws Exception {
    try (Directory directory = Fixtures.directory(folder, PreadConfig.DEFAULT, cache, backend)) {
      index(directory, false);
      long bytes = 0;
      for (String name : directory.listAll()) {
        bytes += directory.fileLength(name);
      }
      long before = cache.stats().bytesRead();
      try (IndexWriter writer = new IndexWriter(directory, writerConfig())) {
        writer.forceMerge(1);
        assertEquals(SEGMENTS * DOCUMENTS, writer.getDocStats().maxDoc);
      }
      long read = cache.stats().bytesRead() - before;
      assertTrue(read < bytes / 50, read + " bytes were brought in, of " + bytes);
    }
  }
}
