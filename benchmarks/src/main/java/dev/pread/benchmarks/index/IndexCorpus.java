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
import org.apache.lucene.index.FieldInfo;
import org.apache.lucene.index.MultiBits;
import org.apache.lucene.index.StoredFieldVisitor;
import org.apache.lucene.index.StoredFields;
import org.apache.lucene.store.FSDirectory;
import org.apache.lucene.util.Bits;
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
  private boolean empty = true;

  private IndexCorpus(Path index, FSDirectory directory, DirectoryReader reader)
      throws IOException {
    this.index = index;
    this.directory = directory;
    this.reader = reader;
    this.stored = reader.storedFields();
    this.live = MultiBits.getLiveDocs(reader);
  }

  /**
   * Opens one, through a directory that leaves nothing mapped.
   *
   * @throws UserError if there is none, or none that can be read
   */
  public static IndexCorpus open(Path index) throws IOException, UserError {
    FSDirectory directory = DirectoryKind.named("niofs").openForReading(index);
    DirectoryReader reader = null;
    try {
      reader = DirectoryReader.open(directory);
      return new IndexCorpus(index, directory, reader);
    } catch (IOException | RuntimeException e) {
      IOUtils.closeWhileHandlingException(reader, directory);
      UserError error = IndexErrors.whileOpening(index, e);
      if (error != null) {
        throw error;
      }
      throw e;
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
        if (live == null || live.get(doc)) {
          Text text = new Text();
          stored.document(doc, text);
          if (!text.all.isEmpty()) {
            empty = false;
            return new SourceText("document " + doc, text.all.toString());
          }
        }
      }
    } catch (IOException e) {
      throw new CorpusException(
          "the documents of index " + index + " cannot be read (" + e + "): check the index", e);
    }
    if (empty) {
      throw new CorpusException(
          "index " + index + " has no document with stored text: name another, or a --corpus",
          null);
    }
    return null;
  }

  @Override
  public double progress() {
    return reader.maxDoc() == 0 ? 1 : next / (double) reader.maxDoc();
  }

  @Override
  public void close() throws IOException {
    IOUtils.close(reader, directory);
  }

  /** The text of one document, a line for each field. */
  private static final class Text extends StoredFieldVisitor {
    private final StringBuilder all = new StringBuilder();

    @Override
    public Status needsField(FieldInfo field) {
      return Status.YES;
    }

    @Override
    public void stringField(FieldInfo field, String value) {
      if (!value.isBlank()) {
        all.append(value).append('\n');
      }
    }

    @Override
    public void binaryField(FieldInfo field, byte[] value) {
      try {
        stringField(
            field, StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(value)).toString());
      } catch (CharacterCodingException noText) {
        // Passed over, as the class says.
      }
    }
  }
}
