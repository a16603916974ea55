/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.scenario;

import dev.pread.benchmarks.HitMismatch;
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
import org.apache.lucene.search.DocIdSetIterator;
import org.apache.lucene.util.Bits;
import org.apache.lucene.util.BytesRef;

/**
 * One thread's way into an index of {@link KeyedDocument}s. Whatever it returns has been checked.
 * It does not keep the reader open.
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
      Terms terms = leaf.reader().terms(KeyedDocument.KEY);
      seekers[leaf.ord] = terms == null ? TermsEnum.EMPTY : terms.iterator();
    }
  }

  IndexReader reader() {
    return reader;
  }

  /**
   * The document with a key, by the terms of one segment after another.
   *
   * @throws HitMismatch if there is none
   */
  int find(long key) throws IOException, HitMismatch {
    BytesRef term = KeyedDocument.term(key);
    for (LeafReaderContext leaf : leaves) {
      if (seekers[leaf.ord].seekExact(term)) {
        postings[leaf.ord] = seekers[leaf.ord].postings(postings[leaf.ord], PostingsEnum.NONE);
        int doc = firstLive(postings[leaf.ord], leaf.reader().getLiveDocs());
        if (doc >= 0) {
          return leaf.docBase + doc;
        }
      }
    }
    throw new HitMismatch("there is no document with the key " + term.utf8ToString(), null);
  }

  private static int firstLive(PostingsEnum postings, Bits live) throws IOException {
    int doc;
    while ((doc = postings.nextDoc()) != DocIdSetIterator.NO_MORE_DOCS) {
      if (live == null || live.get(doc)) {
        return doc;
      }
    }
    return -1;
  }

  /** Has the stored fields of a document read ahead. */
  void prefetch(int doc) throws IOException {
    stored.prefetch(doc);
  }

  /** Reads the stored fields of a document, which is to have a key. */
  KeyedDocument.Fetched fetch(int doc, long key) throws IOException, HitMismatch {
    return KeyedDocument.check(stored.document(doc), key);
  }

  /** The same with its doc values; returns the length of its text. */
  private int fetchWithValues(int doc, long key) throws IOException, HitMismatch {
    LeafReaderContext leaf = leaves.get(ReaderUtil.subIndex(doc, leaves));
    int inLeaf = doc - leaf.docBase;
    NumericDocValues values = sums[leaf.ord];
    if (values == null || values.docID() > inLeaf) {
      values = leaf.reader().getNumericDocValues(KeyedDocument.SUM);
      sums[leaf.ord] = values;
    }
    boolean there = values != null && values.advanceExact(inLeaf);
    long sum = there ? values.longValue() : 0;
    KeyedDocument.Fetched fetched = fetch(doc, key);
    if (!there || sum != fetched.sum()) {
      throw new HitMismatch(
          "the doc values of " + KeyedDocument.term(key).utf8ToString() + " are " + sum, null);
    }
    return fetched.body().length();
  }

  /**
   * Reads the documents of keys in ascending order: seeks the first one in the terms of all
   * segments together and goes on from term to term.
   *
   * @return the length of their texts
   * @throws HitMismatch if one is missing or out of order
   */
  long forward(long first, int count) throws IOException, HitMismatch {
    if (scan == null) {
      Terms terms = MultiTerms.getTerms(reader, KeyedDocument.KEY);
      scan = terms == null ? TermsEnum.EMPTY : terms.iterator();
      live = MultiBits.getLiveDocs(reader);
    }
    long length = 0;
    BytesRef term =
        scan.seekCeil(KeyedDocument.term(first)) == TermsEnum.SeekStatus.END ? null : scan.term();
    for (int i = 0; i < count; i++) {
      BytesRef expected = KeyedDocument.term(first + i);
      if (!expected.equals(term)) {
        throw new HitMismatch(
            "a scan forward comes to "
                + (term == null ? "the end" : term.utf8ToString())
                + " where "
                + expected.utf8ToString()
                + " is next",
            null);
      }
      scanned = scan.postings(scanned, PostingsEnum.NONE);
      int doc = firstLive(scanned, live);
      if (doc < 0) {
        throw new HitMismatch("all documents of " + expected.utf8ToString() + " are gone", null);
      }
      length += fetchWithValues(doc, first + i);
      term = i + 1 < count ? scan.next() : null;
    }
    return length;
  }

  /**
   * Reads the documents of keys in descending order. Lucene's terms have no way back, so each key
   * is sought.
   *
   * @return the length of their texts
   * @throws HitMismatch if one is missing
   */
  long reverse(long last, int count) throws IOException, HitMismatch {
    long length = 0;
    for (int i = 0; i < count; i++) {
      length += fetchWithValues(find(last - i), last - i);
    }
    return length;
  }
}
