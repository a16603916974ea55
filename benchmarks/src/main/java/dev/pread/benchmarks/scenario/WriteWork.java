/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.scenario;

import dev.pread.benchmarks.load.OpenLoop;
import dev.pread.benchmarks.measure.HitMismatch;
import java.io.IOException;
import java.util.concurrent.atomic.LongAdder;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.Term;
import org.apache.lucene.store.Directory;

/**
 * Writes documents: new ones into an empty index, or over those that are there. Flushes and merges
 * go on beside it, and a commit ends each phase; merges that still run then are not waited for.
 */
final class WriteWork implements Work {
  /** Small beside the heap, as the memory of a machine that is short of it would have it. */
  private static final double RAM_BUFFER_MB = 16;

  private final Directory directory;
  private final boolean adds;
  private final Load load;
  private final Bodies bodies;
  private final long keys;
  private final LongAdder docs = new LongAdder();
  private final LongAdder bytes = new LongAdder();
  private IndexWriter writer;
  private Newest newest = new Newest();
  private long versions;

  /**
   * @param directory of the index, which is emptied at the beginning of each phase to be added to
   */
  WriteWork(Directory directory, Scenario scenario, Load load, Bodies bodies) throws IOException {
    this.directory = directory;
    this.adds = scenario.operation() == Scenario.Operation.ADD;
    this.load = load;
    this.bodies = bodies;
    if (adds) {
      keys = 0;
    } else {
      try (DirectoryReader reader = DirectoryReader.open(directory)) {
        keys = reader.numDocs();
      }
    }
  }

  static IndexWriterConfig config() {
    return new IndexWriterConfig(new StandardAnalyzer()).setRAMBufferSizeMB(RAM_BUFFER_MB);
  }

  @Override
  public OpenLoop.Request begin(int phase) throws IOException {
    docs.reset();
    bytes.reset();
    if (adds) {
      close();
      newest = new Newest();
      writer = new IndexWriter(directory, config().setOpenMode(IndexWriterConfig.OpenMode.CREATE));
      return number -> write(number, 0);
    }
    if (writer == null) {
      writer = new IndexWriter(directory, config());
    }
    // Above all versions of the phases before.
    versions += 1L << 40;
    long base = versions;
    return number -> write(load.key(phase, number, keys), base + number);
  }

  private void write(long key, long version) throws IOException {
    String body = bodies.get(key + version);
    Document doc = KeyedDocument.of(key, version, body);
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
    docs.increment();
    bytes.add(body.length());
  }

  @Override
  public void end() throws IOException {
    writer.commit();
  }

  @Override
  public void verify() throws IOException, HitMismatch {
    try (DirectoryReader reader = DirectoryReader.open(directory)) {
      newest.check(reader, adds ? docs() : keys);
    }
  }

  @Override
  public long docs() {
    return docs.sum();
  }

  @Override
  public long bytes() {
    return bytes.sum();
  }

  @Override
  public long besideBytes() {
    return 0;
  }

  @Override
  public void close() throws IOException {
    if (writer != null) {
      // Merges that still run are given up: nobody measures them.
      writer.rollback();
      writer = null;
    }
  }
}
