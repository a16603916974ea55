/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.search;

import dev.pread.benchmarks.index.DirectoryKind;
import dev.pread.benchmarks.index.IndexBuilder;
import dev.pread.benchmarks.index.IndexFiles;
import dev.pread.benchmarks.index.Kept;
import dev.pread.benchmarks.index.TextFeed;
import dev.pread.benchmarks.machine.DataPattern;
import dev.pread.benchmarks.machine.Progress;
import dev.pread.benchmarks.machine.WrongResult;
import java.io.IOException;
import java.nio.file.Path;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.NumericDocValuesField;
import org.apache.lucene.document.StoredField;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.IndexableField;
import org.apache.lucene.store.FSDirectory;
import org.apache.lucene.util.BytesRef;

/**
 * Makes documents that can be checked by themselves: each has its key, its version, its text, and a
 * checksum of all three, stored and as doc values. Keys are the numbers from 0, as text of one
 * length, so that the order of the terms is theirs and the key after another is known.
 */
final class KeyedDocument {
  static final String KEY = "key";
  static final String SUM = "sum";
  private static final String VERSION = "version";
  private static final String BODY = "body";
  private static final int DIGITS = 12;

  /**
   * A number of bytes that is more than a document takes: the first ones, which tell how large they
   * are, fit the index.
   */
  private static final int MAX_DOCUMENT_BYTES = 1 << 14;

  private KeyedDocument() {}

  /**
   * Holds what was read of a document.
   *
   * @param version 0 for the first one
   * @param sum its checksum, which is right
   */
  record Fetched(long version, String body, long sum) {}

  /**
   * Makes a document.
   *
   * @param version 0 for the first one
   * @param body text, indexed and stored
   */
  static Document of(long key, long version, String body) {
    long sum = sum(key, version, body);
    Document doc = new Document();
    doc.add(new Field(KEY, term(key), StringField.TYPE_STORED));
    doc.add(new StoredField(VERSION, version));
    doc.add(new StoredField(SUM, sum));
    doc.add(new NumericDocValuesField(SUM, sum));
    doc.add(new StoredField(BODY, body));
    doc.add(new TextField("text", body, Field.Store.NO));
    return doc;
  }

  static BytesRef term(long key) {
    byte[] term = new byte[DIGITS]; // It is made by hand, since that is part of what is timed.
    long rest = key;
    for (int i = DIGITS - 1; i >= 0; i--) {
      term[i] = (byte) ('0' + rest % 10);
      rest /= 10;
    }
    return new BytesRef(term);
  }

  private static long sum(long key, long version, String body) {
    long sum = DataPattern.word(DataPattern.word(key) ^ version);
    return DataPattern.word(sum ^ ((long) body.length() << 32) ^ body.hashCode());
  }

  /**
   * Checks that stored fields are those of the document with a key, whole.
   *
   * @throws WrongResult if not
   */
  static Fetched check(Document stored, long expected) {
    BytesRef key = stored.getBinaryValue(KEY);
    if (!term(expected).equals(key)) {
      String got = key == null ? "one without a key" : key.utf8ToString();
      throw new WrongResult("asked for the document " + expected + " and got " + got);
    }
    Fetched fetched = new Fetched(number(stored, VERSION), stored.get(BODY), number(stored, SUM));
    if (fetched.body() == null
        || fetched.sum() != sum(expected, fetched.version(), fetched.body())) {
      throw new WrongResult("the stored fields of " + expected + " do not match their checksum");
    }
    return fetched;
  }

  private static long number(Document stored, String name) {
    IndexableField field = stored.getField(name);
    return field == null || field.numericValue() == null ? -1 : field.numericValue().longValue();
  }

  /**
   * Builds the index that the scenarios begin with in a work folder, or takes what an earlier run
   * kept there. Every repetition of the text has keys of its own.
   *
   * @param corpus the text, which is repeated until the index is as large as it is to be
   * @param bytes of the index, nearly
   */
  static Kept build(Path work, Path corpus, long bytes, Progress progress) throws IOException {
    String origin = corpus + "|" + bytes;
    return Kept.take(
        work,
        work.resolve("index"),
        origin,
        index -> {
          try (TextFeed feed = TextFeed.open(corpus);
              FSDirectory directory = DirectoryKind.NEUTRAL.openForWriting(index)) {
            IndexBuilder builder =
                new IndexBuilder(feed, one -> of(one.number(), 0, one.text()), progress);
            feed.limit(Math.max(1_000, bytes / MAX_DOCUMENT_BYTES));
            do {
              builder.build(directory);
            } while (feed.extend(bytes, IndexFiles.bytes(IndexFiles.of(index))));
            return new Kept(origin, feed.taken(), feed.copies());
          }
        });
  }
}
