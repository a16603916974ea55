/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.workload;

import java.io.IOException;
import java.util.Arrays;
import org.apache.lucene.index.FieldInfo;
import org.apache.lucene.index.StoredFieldVisitor;
import org.apache.lucene.search.IndexSearcher;

/** Reads all stored fields of one document; every byte of them counts in the checksum. */
final class StoredFetch implements BenchQuery {
  private final int doc;

  StoredFetch(int doc) {
    this.doc = doc;
  }

  @Override
  public Answer run(IndexSearcher searcher) throws IOException {
    Folding folding = new Folding();
    // An index that is written to meanwhile may have fewer documents than the one it was drawn
    // from.
    searcher.storedFields().document(doc % searcher.getIndexReader().maxDoc(), folding);
    return new Answer(folding.checksum.value(), null);
  }

  @Override
  public String toString() {
    return "document " + doc;
  }

  /** Takes every field, and folds name and value. */
  private static final class Folding extends StoredFieldVisitor {
    private final Checksum checksum = new Checksum();

    @Override
    public Status needsField(FieldInfo field) {
      return Status.YES;
    }

    @Override
    public void stringField(FieldInfo field, String value) {
      add(field, ((long) value.length() << 32) ^ value.hashCode());
    }

    @Override
    public void binaryField(FieldInfo field, byte[] value) {
      add(field, ((long) value.length << 32) ^ Arrays.hashCode(value));
    }

    @Override
    public void intField(FieldInfo field, int value) {
      add(field, value);
    }

    @Override
    public void longField(FieldInfo field, long value) {
      add(field, value);
    }

    @Override
    public void floatField(FieldInfo field, float value) {
      add(field, Float.floatToIntBits(value));
    }

    @Override
    public void doubleField(FieldInfo field, double value) {
      add(field, Double.doubleToLongBits(value));
    }

    private void add(FieldInfo field, long value) {
      checksum.add(field.number);
      checksum.add(value);
    }
  }
}
