/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.workload;

import java.io.IOException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.apache.lucene.index.IndexableField;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.PostingsEnum;
import org.apache.lucene.index.Terms;
import org.apache.lucene.index.TermsEnum;
import org.apache.lucene.search.DocIdSetIterator;
import org.apache.lucene.search.FieldDoc;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.Sort;
import org.apache.lucene.search.TopDocs;
import org.apache.lucene.search.TotalHits;
import org.apache.lucene.util.Bits;
import org.apache.lucene.util.BytesRef;

/** The queries that there are. */
final class Queries {
  static final int HITS = 10;

  private Queries() {}

  /**
   * The ten best hits of a query. The checksum takes in the number of hits, the documents in order,
   * and their scores or sort values.
   *
   * @param query to search for
   * @param sort by which hits are best; null for the score
   */
  record TopHits(Query query, Sort sort) implements BenchQuery {
    @Override
    public Answer run(IndexSearcher searcher) throws IOException {
      TopDocs top =
          sort == null ? searcher.search(query, HITS) : searcher.search(query, HITS, sort);
      boolean exact = top.totalHits.relation() == TotalHits.Relation.EQUAL_TO;
      long sum = Answer.fold(exact ? 0 : 1, top.totalHits.value());
      for (ScoreDoc hit : top.scoreDocs) {
        sum = Answer.fold(sum, hit.doc);
        sum =
            Answer.fold(
                sum,
                hit instanceof FieldDoc sorted
                    ? Arrays.hashCode(sorted.fields)
                    : Float.floatToIntBits(hit.score));
      }
      return new Answer(sum, top);
    }

    @Override
    public String toString() {
      return sort == null ? query.toString() : query + " sorted by " + sort;
    }
  }

  /**
   * The nearest neighbours of a vector. Their scores are sums of floats whose order nobody
   * specifies: Lucene scores vectors in mapped memory several at a time and others one by one, and
   * the JVM's vector module adds the lanes up in one order while it interprets and in another once
   * it has compiled. So the last bits of a score vary even with one directory, and answers that
   * differ in nothing else are the same.
   *
   * @param hits the search
   */
  record Neighbours(TopHits hits) implements BenchQuery {
    /** Far above the rounding of a sum of thousands of floats, far below what a wrong byte does. */
    private static final float TOLERANCE = 1e-5f;

    @Override
    public Answer run(IndexSearcher searcher) throws IOException {
      return hits.run(searcher);
    }

    /**
     * Whether the scores are the same rank by rank, and the documents too, save those that share
     * the last score with others that did not get in. The order within equal scores is free.
     */
    @Override
    public boolean same(Answer one, Answer other) {
      if (one.checksum() == other.checksum()) {
        return true;
      }
      ScoreDoc[] left = one.hits().scoreDocs;
      ScoreDoc[] right = other.hits().scoreDocs;
      boolean same = left.length == right.length;
      Set<Integer> found = new HashSet<>();
      for (int i = 0; i < left.length && same; i++) {
        same = close(left[i].score, right[i].score);
        found.add(right[i].doc);
      }
      for (ScoreDoc hit : left) {
        same &= found.contains(hit.doc) || close(hit.score, left[left.length - 1].score);
      }
      return same;
    }

    private static boolean close(float one, float other) {
      return Math.abs(one - other) <= TOLERANCE * Math.max(1, Math.abs(one));
    }

    @Override
    public String toString() {
      return hits.toString();
    }
  }

  /**
   * Finds the document with a key by seeking in the terms of each segment, as an update by key
   * does: no scoring, no collector.
   *
   * @param field of keys
   * @param key must not change any more
   */
  record KeyLookup(String field, BytesRef key) implements BenchQuery {
    @Override
    public Answer run(IndexSearcher searcher) throws IOException {
      return new Answer(find(searcher), null);
    }

    /** The first document that is not deleted, or -1. */
    private int find(IndexSearcher searcher) throws IOException {
      for (LeafReaderContext leaf : searcher.getIndexReader().leaves()) {
        Terms terms = leaf.reader().terms(field);
        TermsEnum seeker = terms == null ? TermsEnum.EMPTY : terms.iterator();
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

  /**
   * Reads all stored fields of one document; every byte of them counts in the checksum.
   *
   * @param doc its number
   */
  record StoredFetch(int doc) implements BenchQuery {
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

    @Override
    public String toString() {
      return "document " + doc;
    }
  }
}
