/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.index;

import java.io.IOException;
import java.util.Arrays;
import org.apache.lucene.index.IndexableField;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.PostingsEnum;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.DocIdSetIterator;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.TopDocs;
import org.apache.lucene.util.Bits;

/**
 * Asks an index one thing. It is immutable: many threads run the same one against many searchers.
 * {@link Object#toString()} says what is asked, for the message on a mismatch.
 */
public interface BenchQuery {

  /**
   * Holds what a query returned.
   *
   * @param hits if it was a search, else null
   */
  record Answer(long checksum, TopDocs hits) {

    /**
     * Folds one value more into a checksum, in order: cheap enough to be part of every measured
     * query, so that every answer is checked and not only the first.
     */
    static long fold(long checksum, long value) {
      long mixed = (checksum ^ value) * 0x9E3779B97F4A7C15L;
      return mixed ^ (mixed >>> 32);
    }

    @Override
    public String toString() {
      return hits == null
          ? "checksum " + Long.toHexString(checksum)
          : hits.totalHits + ": " + Arrays.toString(hits.scoreDocs);
    }
  }

  /** Runs the query and folds all that it returns into a checksum. */
  Answer run(IndexSearcher searcher) throws IOException;

  /**
   * Returns whether an answer is the right one: by their checksums, unless the query knows better.
   *
   * @param reference searches the same index, and gave the right one
   */
  default boolean same(Answer right, Answer other, IndexSearcher reference) throws IOException {
    return right.checksum() == other.checksum();
  }

  /** Returns the first document that is not deleted, or -1. */
  static int firstLive(PostingsEnum postings, Bits live) throws IOException {
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
