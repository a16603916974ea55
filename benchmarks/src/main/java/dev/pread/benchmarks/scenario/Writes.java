/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.scenario;

import dev.pread.benchmarks.measure.HitMismatch;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.Term;
import org.apache.lucene.store.Directory;

/**
 * Writes documents, with flushes and merges beside it, and checks afterwards what the index has.
 * Thread-safe, except for its end.
 */
final class Writes implements Closeable {
  /** Small beside the heap, as the memory of a machine that is short of it would have it. */
  private static final double RAM_BUFFER_MB = 16;

  private final Directory directory;
  private final List<String> texts;
  private final boolean adds;
  private final IndexWriter writer;
  private final Newest newest = new Newest();

  /**
   * @param texts of the documents
   * @param adds whether to empty the index and add documents, instead of replacing some
   */
  Writes(Directory directory, List<String> texts, boolean adds) throws IOException {
    this.directory = directory;
    this.texts = texts;
    this.adds = adds;
    this.writer =
        new IndexWriter(
            directory,
            new IndexWriterConfig(new StandardAnalyzer())
                .setRAMBufferSizeMB(RAM_BUFFER_MB)
                .setOpenMode(
                    adds ? IndexWriterConfig.OpenMode.CREATE : IndexWriterConfig.OpenMode.APPEND));
  }

  IndexWriter writer() {
    return writer;
  }

  /** Writes a document of a key; returns the length of its text. */
  int write(long key, long version) throws IOException {
    String text = texts.get((int) Math.floorMod(key + version, (long) texts.size()));
    Document doc = KeyedDocument.of(key, version, text);
    newest.write(
        key,
        version,
        () -> {
          if (adds) {
            writer.addDocument(doc);
          } else {
            writer.updateDocument(new Term(KeyedDocument.KEY, KeyedDocument.term(key)), doc);
          }
        });
    return text.length();
  }

  /**
   * Checks what was committed.
   *
   * @param docs that are to be there
   */
  void verify(long docs) throws IOException, HitMismatch {
    try (DirectoryReader reader = DirectoryReader.open(directory)) {
      newest.check(reader, docs);
    }
  }

  /** Merges that still run are given up: nobody measures them. */
  @Override
  public void close() throws IOException {
    writer.rollback();
  }
}
