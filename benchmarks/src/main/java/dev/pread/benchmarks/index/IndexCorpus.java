/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.index;

import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.corpus.Corpus;
import dev.pread.benchmarks.corpus.CorpusException;
import dev.pread.benchmarks.corpus.SourceText;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexableField;
import org.apache.lucene.index.MultiBits;
import org.apache.lucene.index.StoredFields;
import org.apache.lucene.store.FSDirectory;
import org.apache.lucene.util.Bits;
import org.apache.lucene.util.BytesRef;
import org.apache.lucene.util.IOUtils;

/**
 * The documents of an existing index as texts, in their order: whatever text each has stored,
 * strings and bytes that are UTF-8, such as the source that search servers keep. Deleted documents
 * and those without are passed over. The index is only read.
 */
public final class IndexCorpus implements Corpus {
  private final Path index;
  private final FSDirectory directory;
  private final DirectoryReader reader;
  private final StoredFields stored;
  private final Bits live;
  private volatile int next;

  private IndexCorpus(Path index, FSDirectory directory) throws IOException {
    this.index = index;
    this.directory = directory;
    this.reader = DirectoryReader.open(directory);
    this.stored = reader.storedFields();
    this.live = MultiBits.getLiveDocs(reader);
  }

  /**
   * Opens one.
   *
   * @throws UserError if there is none, or none that can be read
   */
  public static IndexCorpus open(Path index) throws IOException, UserError {
    FSDirectory directory = DirectoryKind.NEUTRAL.openForReading(index);
    IndexCorpus corpus = null;
    try {
      corpus = IndexErrors.opening(index, () -> new IndexCorpus(index, directory));
      return corpus;
    } finally {
      if (corpus == null) {
        directory.close();
      }
    }
  }

  @Override
  public String name() {
    return index.toString();
  }

  @Override
  @SuppressWarnings("NonAtomicVolatileUpdate") // One thread counts, others look.
  public SourceText next() throws CorpusException {
    try {
      while (next < reader.maxDoc()) {
        int doc = next++;
        String text = live == null || live.get(doc) ? text(doc) : "";
        if (!text.isEmpty()) {
          return new SourceText("document " + doc, text);
        }
      }
      return null;
    } catch (IOException e) {
      throw new CorpusException(
          "the documents of index " + index + " cannot be read (" + e + "): check the index", e);
    }
  }

  /** Of one document, a line for each field. */
  private String text(int doc) throws IOException {
    StringBuilder all = new StringBuilder();
    for (IndexableField field : stored.document(doc)) {
      String text = field.numericValue() == null ? field.stringValue() : null;
      BytesRef bytes = field.binaryValue();
      if (text == null && bytes != null) {
        try {
          ByteBuffer utf8 = ByteBuffer.wrap(bytes.bytes, bytes.offset, bytes.length);
          text = StandardCharsets.UTF_8.newDecoder().decode(utf8).toString();
        } catch (CharacterCodingException noText) {
          // Passed over, as the class says.
        }
      }
      if (text != null && !text.isBlank()) {
        all.append(text).append('\n');
      }
    }
    return all.toString();
  }

  @Override
  public double progress() {
    return reader.maxDoc() == 0 ? 1 : next / (double) reader.maxDoc();
  }

  @Override
  public void close() throws IOException {
    IOUtils.close(reader, directory);
  }
}
