/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.measure;

import dev.pread.benchmarks.index.DirectoryKind;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.store.FSDirectory;
import org.apache.lucene.util.IOUtils;

/**
 * One directory on the index, with the reader and the searcher over it. The searcher has no
 * executor and no query cache, so that a query is one thread's work and is done each time.
 * Thread-safe.
 */
public final class Contender implements Closeable {
  private final String name;
  private final FSDirectory directory;
  private final DirectoryReader reader;
  private final IndexSearcher searcher;

  private Contender(String name, FSDirectory directory, DirectoryReader reader) {
    this.name = name;
    this.directory = directory;
    this.reader = reader;
    this.searcher = new IndexSearcher(reader);
    searcher.setQueryCache(null);
  }

  /** Opens the latest commit, without a lock and without writing. */
  public static Contender open(DirectoryKind kind, Path index) throws IOException {
    FSDirectory directory = kind.openForReading(index);
    DirectoryReader reader = null;
    try {
      reader = DirectoryReader.open(directory);
      return new Contender(kind.name(), directory, reader);
    } finally {
      if (reader == null) {
        IOUtils.closeWhileHandlingException(directory);
      }
    }
  }

  /** The directory's name on the command line. */
  public String name() {
    return name;
  }

  /** Over this directory. */
  public DirectoryReader reader() {
    return reader;
  }

  /** Over this directory, to be shared by threads. */
  public IndexSearcher searcher() {
    return searcher;
  }

  /** The directory itself, for what it says of itself. */
  public FSDirectory directory() {
    return directory;
  }

  @Override
  public void close() throws IOException {
    IOUtils.close(reader, directory);
  }
}
