/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.index;

import dev.pread.benchmarks.UserError;
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

  private IndexCorpus(Path index) throws IOException {
    this.index = index;
    this.directory = DirectoryKind.NEUTRAL.openForReading(index);
    this.reader = DirectoryReader.open(directory);
    this.stored = reader.storedFields();
    this.live = MultiBits.getLiveDocs(reader);
  }

  /**
   * Opens one.
   *
   * @throws UserError if there is none, or none that can be read
   */
  public static IndexCorpus open(Path index) throws IOException {
    return IndexErrors.opening(index, () -> new IndexCorpus(index));
  }

  @Override
  @SuppressWarnings("NonAtomicVolatileUpdate") // One thread counts, others look.
  public Text next() {
    try {
      while (next < reader.maxDoc()) {
        int doc = next++;
        String text = live == null || live.get(doc) ? text(doc) : "";
        if (!text.isEmpty()) {
          return new Text("document " + doc, text);
        }
      }
      return null;
    } catch (IOException e) {
      throw new UserError(
          "the documents of index " + index + " cannot be read (" + e + "): check the index", e);
    }
  }

  /** Of one document, a line for each field. */
  private String text(int doc) throws IOException {
    StringBuilder all = new StringBuilder();
    for (IndexableField field : stored.document(doc)) {
      String text = field.binaryValue() == null ? field.stringValue() : utf8(field.binaryValue());
      if (field.numericValue() == null && text != null && !text.isBlank()) {
        all.append(text).append('\n');
      }
    }
    return all.toString();
  }

  /** The text that bytes are; null if they are none. */
  private static String utf8(BytesRef bytes) {
    ByteBuffer buffer = ByteBuffer.wrap(bytes.bytes, bytes.offset, bytes.length);
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(buffer).toString();
    } catch (CharacterCodingException noText) {
      return null;
    }
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
