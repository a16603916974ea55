/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.lucene;

import java.io.IOException;
import java.util.concurrent.ExecutorService;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.SearcherFactory;
import org.apache.lucene.search.SearcherManager;
import org.apache.lucene.tests.index.ThreadedIndexingAndSearchingTestCase;
import org.junit.Rule;

/** Lucene's near-real-time torture test on our directory. */
public class TestThreadedIndexingAndSearching extends ThreadedIndexingAndSearchingTestCase {

  @Rule public final OpenFilesRule openFiles = new OpenFilesRule();

  private SearcherManager manager;

  public void testThreads() throws Exception {
    runTest("TestThreadedIndexingAndSearching");
    assertTrue("documents were added", addCount.get() > 0);
  }

  @Override
  protected void doAfterWriter(ExecutorService es) throws IOException {
    manager = new SearcherManager(writer, true, false, new SearcherFactory());
    // The searchers see merged segments that nobody has warmed.
    assertMergedSegmentsWarmed = false;
  }

  @Override
  protected void doSearching(ExecutorService es, int maxIterations) throws Exception {
    for (int i = 0; i < maxIterations && !failed.get(); i++) {
      manager.maybeRefreshBlocking();
      runSearchThreads(1);
    }
  }

  @Override
  protected IndexSearcher getCurrentSearcher() throws IOException {
    return manager.acquire();
  }

  @Override
  protected void releaseSearcher(IndexSearcher searcher) throws IOException {
    if (!searcher.getIndexReader().equals(finalReader)) {
      manager.release(searcher);
    }
  }

  private DirectoryReader finalReader;

  @Override
  protected IndexSearcher getFinalSearcher() throws IOException {
    writer.commit();
    finalReader = DirectoryReader.open(dir);
    return newSearcher(finalReader);
  }

  @Override
  protected void doClose() throws IOException {
    manager.close();
    if (finalReader != null) {
      finalReader.close();
    }
  }
}
