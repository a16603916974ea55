/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.scenario;

import dev.pread.benchmarks.measure.HitMismatch;
import dev.pread.benchmarks.workload.Checksum;
import java.util.Arrays;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.NumericDocValuesField;
import org.apache.lucene.document.StoredField;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.FieldInfo;
import org.apache.lucene.index.StoredFieldVisitor;
import org.apache.lucene.util.BytesRef;

/**
 * Documents that can be checked by themselves: each has its key, its version, its text, and a
 * checksum of all three, stored and as doc values. Keys are the numbers from 0, as text of one
 * length, so that the order of the terms is theirs and the key after another is known.
 */
final class KeyedDocument {
  static final String KEY = "key";
  static final String SUM = "sum";
  private static final String VERSION = "version";
  private static final String BODY = "body";
  private static final String TEXT = "text";
  private static final int DIGITS = 12;

  private KeyedDocument() {}

  /**
   * A document.
   *
   * @param key from 0
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
    doc.add(new TextField(TEXT, body, Field.Store.NO));
    return doc;
  }

  /** The term of a key. */
  static BytesRef term(long key) {
    byte[] term = new byte[DIGITS];
    long rest = key;
    for (int i = DIGITS - 1; i >= 0; i--) {
      term[i] = (byte) ('0' + rest % 10);
      rest /= 10;
    }
    if (rest != 0 || key < 0) {
      throw new IllegalArgumentException(key + " is no key of " + DIGITS + " digits");
    }
    return new BytesRef(term);
  }

  private static long sum(long key, long version, String body) {
    Checksum sum = new Checksum();
    sum.add(key);
    sum.add(version);
    sum.add(((long) body.length() << 32) ^ body.hashCode());
    return sum.value();
  }

  /** Takes the stored fields of one document after another. One thread. */
  static final class Fetched extends StoredFieldVisitor {
    private byte[] key;
    private String body;
    private long version;
    private long sum;

    /** Forgets the document before. */
    void clear() {
      key = null;
      body = null;
      version = -1;
      sum = 0;
    }

    @Override
    public Status needsField(FieldInfo field) {
      return Status.YES;
    }

    @Override
    public void binaryField(FieldInfo field, byte[] value) {
      if (field.name.equals(KEY)) {
        key = value;
      }
    }

    @Override
    public void stringField(FieldInfo field, String value) {
      if (field.name.equals(BODY)) {
        body = value;
      }
    }

    @Override
    public void longField(FieldInfo field, long value) {
      if (field.name.equals(VERSION)) {
        version = value;
      } else if (field.name.equals(SUM)) {
        sum = value;
      }
    }

    String body() {
      return body;
    }

    long version() {
      return version;
    }

    long sum() {
      return sum;
    }

    /**
     * Checks that this is the document with a key, whole.
     *
     * @return the length of its text
     */
    int check(long expected) throws HitMismatch {
      BytesRef term = term(expected);
      if (key == null || !Arrays.equals(key, term.bytes)) {
        String found = key == null ? "a document without a key" : new BytesRef(key).utf8ToString();
        throw new HitMismatch(
            "asked for the document " + term.utf8ToString() + " and got " + found, null);
      }
      if (body == null || sum != KeyedDocument.sum(expected, version, body)) {
        throw new HitMismatch(
            "the stored fields of " + term.utf8ToString() + " do not match their checksum", null);
      }
      return body.length();
    }
  }
}
