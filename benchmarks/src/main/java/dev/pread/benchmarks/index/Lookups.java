/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.index;

import java.io.IOException;
import org.apache.lucene.index.IndexableField;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.PostingsEnum;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.DocIdSetIterator;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.util.Bits;

/** Looks things up without a search: no scoring, no collector. */
public final class Lookups {
  private Lookups() {}

  /** Returns the first document that is not deleted, or -1. */
  public static int firstLive(PostingsEnum postings, Bits live) throws IOException {
    int doc;
    while ((doc = postings.nextDoc()) != DocIdSetIterator.NO_MORE_DOCS) {
      if (live == null || live.get(doc)) {
        return doc;
      }
    }
    return -1;
  }

  /**
   * Finds the document with a key by seeking in the terms of each segment, as an update by key
   * does.
   */
  record Key(Term key) implements BenchQuery {
    @Override
    public Answer run(IndexSearcher searcher) throws IOException {
      for (LeafReaderContext leaf : searcher.getLeafContexts()) {
        PostingsEnum postings = leaf.reader().postings(key, PostingsEnum.NONE);
        int doc = postings == null ? -1 : firstLive(postings, leaf.reader().getLiveDocs());
        if (doc >= 0) {
          return new Answer(leaf.docBase + doc, null);
        }
      }
      return new Answer(-1, null);
    }
  }

  /** Reads all stored fields of one document; every byte of them counts in the checksum. */
  record Stored(int doc) implements BenchQuery {
    @Override
    public Answer run(IndexSearcher searcher) throws IOException {
      long sum = 0;
      for (IndexableField field : searcher.storedFields().document(doc)) {
        sum = Answer.fold(sum, field.name().hashCode());
        Object value =
            field.binaryValue() != null
                ? field.binaryValue()
                : field.numericValue() != null ? field.numericValue() : field.stringValue();
        sum = Answer.fold(sum, value.hashCode());
      }
      return new Answer(sum, null);
    }
  }
}
