/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.workload;

import java.io.IOException;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.PostingsEnum;
import org.apache.lucene.index.Terms;
import org.apache.lucene.index.TermsEnum;
import org.apache.lucene.search.DocIdSetIterator;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.util.Bits;
import org.apache.lucene.util.BytesRef;

/**
 * Finds the document with a key by seeking in the terms of each segment, as an update by key does:
 * no scoring, no collector.
 */
final class KeyLookup implements BenchQuery {
  private final String field;
  private final BytesRef key;

  /** Takes the key over: it must not change any more. */
  KeyLookup(String field, BytesRef key) {
    this.field = field;
    this.key = key;
  }

  @Override
  public Answer run(IndexSearcher searcher) throws IOException {
    Checksum checksum = new Checksum();
    checksum.add(find(searcher));
    return new Answer(checksum.value(), null);
  }

  /** The first document that is not deleted, or -1. */
  private int find(IndexSearcher searcher) throws IOException {
    for (LeafReaderContext leaf : searcher.getIndexReader().leaves()) {
      Terms terms = leaf.reader().terms(field);
      if (terms == null) {
        continue;
      }
      TermsEnum seeker = terms.iterator();
      if (seeker.seekExact(key)) {
        Bits live = leaf.reader().getLiveDocs();
        PostingsEnum postings = seeker.postings(null, PostingsEnum.NONE);
        int doc;
        while ((doc = postings.nextDoc()) != DocIdSetIterator.NO_MORE_DOCS) {
          if (live == null || live.get(doc)) {
            return leaf.docBase + doc;
          }
        }
      }
    }
    return -1;
  }

  @Override
  public String toString() {
    return field + " = " + key;
  }
}
