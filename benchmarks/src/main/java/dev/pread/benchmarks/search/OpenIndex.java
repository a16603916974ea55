/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.search;

import dev.pread.benchmarks.index.DirectoryKind;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.store.FSDirectory;
import org.apache.lucene.util.IOUtils;

/**
 * Opens the index through one directory. The searcher has no executor and no query cache, so that a
 * query is one thread's work and is done each time. Thread-safe.
 *
 * @param directory for what it says of itself
 */
record OpenIndex(
    DirectoryKind kind, FSDirectory directory, DirectoryReader reader, IndexSearcher searcher)
    implements Closeable {

  /** Opens the latest commit, without a lock and without writing. */
  static OpenIndex open(DirectoryKind kind, Path index) throws IOException {
    FSDirectory directory = kind.openForReading(index);
    try {
      DirectoryReader reader = DirectoryReader.open(directory);
      IndexSearcher searcher = new IndexSearcher(reader);
      searcher.setQueryCache(null);
      return new OpenIndex(kind, directory, reader, searcher);
    } catch (Throwable t) {
      IOUtils.closeWhileHandlingException(directory);
      throw t;
    }
  }

  @Override
  public void close() throws IOException {
    IOUtils.close(reader, directory);
  }

  @Override
  public String toString() {
    return kind.name();
  }
}
