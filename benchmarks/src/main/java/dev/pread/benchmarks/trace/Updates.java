/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.trace;

import dev.pread.benchmarks.StopSignal;
import dev.pread.benchmarks.index.Documents;
import java.io.Closeable;
import java.io.IOException;
import java.util.SplittableRandom;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.MultiBits;
import org.apache.lucene.store.Directory;
import org.apache.lucene.util.Bits;
import org.apache.lucene.util.IOUtils;

/**
 * A writer that updates random documents of an index, and near-real-time readers over it. The
 * merges run in threads of their own. Used by one thread at a time.
 */
final class Updates implements Closeable {
  /** Commits let go of the files that merges have replaced. */
  private static final int ROUNDS_PER_COMMIT = 5;

  private final StandardAnalyzer analyzer = new StandardAnalyzer();
  private final IndexWriter writer;
  private final SplittableRandom random;
  private DirectoryReader reader;
  private int rounds;

  Updates(Directory directory, long seed) throws IOException {
    this.random = new SplittableRandom(~seed);
    IndexWriterConfig config =
        new IndexWriterConfig(analyzer).setOpenMode(IndexWriterConfig.OpenMode.APPEND);
    this.writer = new IndexWriter(directory, config);
    boolean success = false;
    try {
      this.reader = DirectoryReader.open(writer);
      success = true;
    } finally {
      if (!success) {
        IOUtils.closeWhileHandlingException(writer, analyzer);
      }
    }
  }

  /** A reader that sees all updates until now; closed when the next one is asked for. */
  DirectoryReader reader() throws IOException {
    if (rounds > 0 && rounds % ROUNDS_PER_COMMIT == 0) {
      writer.commit();
    }
    rounds++;
    DirectoryReader newer = DirectoryReader.openIfChanged(reader);
    if (newer != null) {
      DirectoryReader old = reader;
      reader = newer;
      old.close();
    }
    return reader;
  }

  /** Updates so many documents. */
  Void round(long count, StopSignal stop) throws IOException {
    Bits live = MultiBits.getLiveDocs(reader);
    for (long i = 0; i < count && !stop.requested(); i++) {
      int doc;
      do {
        doc = random.nextInt(reader.maxDoc());
      } while (live != null && !live.get(doc));
      Documents.update(writer, reader, doc);
    }
    return null;
  }

  /** Throws away what was not committed, and with it the merges under way. */
  @Override
  public void close() throws IOException {
    IOUtils.close(reader, writer::rollback, analyzer);
  }
}
