/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.search;

import dev.pread.benchmarks.machine.WrongResult;
import java.io.Closeable;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
  /** A size that is small beside the heap, as on a machine that is short of memory. */
  private static final double RAM_BUFFER_MB = 16;

  /** One key of so many is followed, so that little has to be remembered. */
  private static final int FOLLOWED = 32;

  private final Directory directory;
  private final List<String> texts;
  private final boolean adds;
  private final IndexWriter writer;
  private final Map<Long, Long> newest = new HashMap<>();

  /**
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

  double meanLength() {
    return texts.stream().mapToInt(String::length).average().orElse(1);
  }

  /** Writes a document of a key; returns the length of its text. */
  int write(long key, long version) throws IOException {
    String text = texts.get((int) Math.floorMod(key + version, (long) texts.size()));
    Document doc = KeyedDocument.of(key, version, text);
    if (key % FOLLOWED != 0) {
      write(key, doc);
    } else {
      // One at a time, so that the versions here are in the order of the index.
      synchronized (newest) {
        write(key, doc);
        newest.put(key, version);
      }
    }
    return text.length();
  }

  private void write(long key, Document doc) throws IOException {
    if (adds) {
      writer.addDocument(doc);
    } else {
      writer.updateDocument(new Term(KeyedDocument.KEY, KeyedDocument.term(key)), doc);
    }
  }

  /**
   * Checks what was committed: how many documents there are, and that some keys have the version
   * that was written last.
   *
   * @throws WrongResult if not
   */
  void verify(long docs) throws IOException {
    try (DirectoryReader reader = DirectoryReader.open(directory)) {
      if (reader.numDocs() != docs) {
        throw new WrongResult(
            "the index has " + reader.numDocs() + " documents, and " + docs + " are to be there");
      }
      KeyReader keys = new KeyReader(reader);
      for (Map.Entry<Long, Long> entry : newest.entrySet()) {
        long key = entry.getKey();
        long version = keys.fetch(keys.find(key), key).version();
        if (version != entry.getValue()) {
          String last = ", and " + entry.getValue() + " was written last";
          throw new WrongResult("document " + key + " has version " + version + last);
        }
      }
    }
  }

  /** Gives up merges that still run: nobody measures them. */
  @Override
  public void close() throws IOException {
    writer.rollback();
  }
}
