/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.search;

import dev.pread.benchmarks.index.BenchQuery;
import dev.pread.benchmarks.machine.WrongResult;
import java.io.IOException;
import java.util.List;
import org.apache.lucene.index.IndexReader;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.MultiBits;
import org.apache.lucene.index.MultiTerms;
import org.apache.lucene.index.NumericDocValues;
import org.apache.lucene.index.PostingsEnum;
import org.apache.lucene.index.ReaderUtil;
import org.apache.lucene.index.StoredFields;
import org.apache.lucene.index.Terms;
import org.apache.lucene.index.TermsEnum;
import org.apache.lucene.util.Bits;
import org.apache.lucene.util.BytesRef;

/**
 * Reads an index of {@link KeyedDocument}s for one thread. Whatever it returns has been checked; a
 * {@link WrongResult} says what is missing or not as it was written. It does not keep the reader
 * open.
 */
final class KeyReader {
  private final IndexReader reader;
  private final List<LeafReaderContext> leaves;
  private final TermsEnum[] seekers;
  private final PostingsEnum[] postings;
  private final NumericDocValues[] sums;
  private final StoredFields stored;
  private TermsEnum scan;
  private PostingsEnum scanned;
  private Bits live;

  KeyReader(IndexReader reader) throws IOException {
    this.reader = reader;
    this.leaves = reader.leaves();
    this.seekers = new TermsEnum[leaves.size()];
    this.postings = new PostingsEnum[leaves.size()];
    this.sums = new NumericDocValues[leaves.size()];
    this.stored = reader.storedFields();
    for (LeafReaderContext leaf : leaves) {
      seekers[leaf.ord] = Terms.getTerms(leaf.reader(), KeyedDocument.KEY).iterator();
    }
  }

  IndexReader reader() {
    return reader;
  }

  /** Finds the document with a key, by the terms of one segment after another. */
  int find(long key) throws IOException {
    BytesRef term = KeyedDocument.term(key);
    for (LeafReaderContext leaf : leaves) {
      if (seekers[leaf.ord].seekExact(term)) {
        postings[leaf.ord] = seekers[leaf.ord].postings(postings[leaf.ord], PostingsEnum.NONE);
        int doc = BenchQuery.firstLive(postings[leaf.ord], leaf.reader().getLiveDocs());
        if (doc >= 0) {
          return leaf.docBase + doc;
        }
      }
    }
    throw new WrongResult("there is no document with the key " + key);
  }

  KeyedDocument.Fetched fetch(long key) throws IOException {
    return KeyedDocument.check(stored.document(find(key)), key);
  }

  /** Looks all keys up, has their documents read ahead, and reads them. */
  void batch(long[] keys) throws IOException {
    int[] found = new int[keys.length];
    for (int i = 0; i < keys.length; i++) {
      found[i] = find(keys[i]);
    }
    for (int doc : found) {
      stored.prefetch(doc);
    }
    for (int i = 0; i < keys.length; i++) {
      KeyedDocument.check(stored.document(found[i]), keys[i]);
    }
  }

  /** Reads stored fields and doc values. */
  private void fetchWithValues(int doc, long key) throws IOException {
    LeafReaderContext leaf = leaves.get(ReaderUtil.subIndex(doc, leaves));
    int inLeaf = doc - leaf.docBase;
    NumericDocValues values = sums[leaf.ord];
    if (values == null || values.docID() > inLeaf) {
      values = leaf.reader().getNumericDocValues(KeyedDocument.SUM);
      sums[leaf.ord] = values;
    }
    boolean there = values != null && values.advanceExact(inLeaf);
    long sum = there ? values.longValue() : 0;
    KeyedDocument.Fetched fetched = KeyedDocument.check(stored.document(doc), key);
    if (!there || sum != fetched.sum()) {
      throw new WrongResult("the doc values of " + key + " are " + sum);
    }
  }

  /**
   * Reads the documents of keys in ascending order: seeks the first one in the terms of all
   * segments together and goes on from term to term.
   */
  void forward(long first, int count) throws IOException {
    if (scan == null) {
      scan = MultiTerms.getTerms(reader, KeyedDocument.KEY).iterator();
      live = MultiBits.getLiveDocs(reader);
    }
    BytesRef term =
        scan.seekCeil(KeyedDocument.term(first)) == TermsEnum.SeekStatus.END ? null : scan.term();
    for (int i = 0; i < count; i++) {
      BytesRef expected = KeyedDocument.term(first + i);
      if (!expected.equals(term)) {
        String found = term == null ? "the end" : term.utf8ToString();
        throw new WrongResult(
            "a scan forward comes to " + found + " where " + (first + i) + " is next");
      }
      scanned = scan.postings(scanned, PostingsEnum.NONE);
      int doc = BenchQuery.firstLive(scanned, live);
      if (doc < 0) {
        throw new WrongResult("all documents of " + (first + i) + " are gone");
      }
      fetchWithValues(doc, first + i);
      term = i + 1 < count ? scan.next() : null;
    }
  }

  /**
   * Reads the documents of keys in descending order. Lucene's terms have no way back, so each key
   * is sought.
   */
  void reverse(long last, int count) throws IOException {
    for (int i = 0; i < count; i++) {
      fetchWithValues(find(last - i), last - i);
    }
  }
}
