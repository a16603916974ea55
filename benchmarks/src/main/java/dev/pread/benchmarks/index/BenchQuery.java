/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.index;

import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.apache.lucene.index.IndexableField;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.PostingsEnum;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.DocIdSetIterator;
import org.apache.lucene.search.FieldDoc;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.KnnFloatVectorQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.Sort;
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
   */
  default boolean same(Answer right, Answer other) {
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

  /**
   * Finds the ten best hits of a query. The checksum takes in the number of hits, the documents in
   * order, and their scores or sort values.
   *
   * <p>The scores of nearest neighbours are sums of floats whose order nobody specifies: Lucene
   * scores vectors in mapped memory several at a time and others one by one, and the JVM's vector
   * module adds the lanes up in one order while it interprets and in another once it has compiled.
   * So the last bits of a score vary even with one directory, and they may lead an approximate
   * search to other neighbours. Therefore its answers are compared by their hits, the best first:
   * most of them are in both, with the same score.
   *
   * @param sort by which hits are best; null for the score
   */
  record TopHits(Query query, Sort sort) implements BenchQuery {
    static final int HITS = 10;

    /**
     * A difference far above the rounding of a sum of thousands of floats, and far below what a
     * wrong byte does.
     */
    private static final float TOLERANCE = 1e-5f;

    /**
     * The part of the hits that both have to have: another way through the graph misses a neighbour
     * or two.
     */
    private static final double MIN_COMMON = 0.8;

    static TopHits of(Query query) {
      return new TopHits(query, null);
    }

    @Override
    public Answer run(IndexSearcher searcher) throws IOException {
      TopDocs top =
          sort == null ? searcher.search(query, HITS) : searcher.search(query, HITS, sort);
      // The number of hits is taken as text, which is the same with Lucene 9.
      long sum = Answer.fold(0, top.totalHits.toString().hashCode());
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
    public boolean same(Answer one, Answer other) {
      return one.checksum() == other.checksum()
          || (query instanceof KnnFloatVectorQuery
              && sameNeighbours(one.hits().scoreDocs, other.hits().scoreDocs));
    }

    private static boolean sameNeighbours(ScoreDoc[] right, ScoreDoc[] found) {
      Map<Integer, Float> scores = new HashMap<>();
      for (ScoreDoc hit : right) {
        scores.put(hit.doc, hit.score);
      }
      int common = 0;
      float last = Float.POSITIVE_INFINITY;
      for (ScoreDoc hit : found) {
        // A document that comes twice is no neighbour the second time.
        Float score = scores.put(hit.doc, Float.NaN);
        common += score == null ? 0 : 1;
        boolean isInOrder = hit.score <= last || close(last, hit.score);
        if (!isInOrder || (score != null && !close(score, hit.score))) {
          return false;
        }
        last = hit.score;
      }
      return right.length == found.length && common >= MIN_COMMON * found.length;
    }

    private static boolean close(float one, float other) {
      return Math.abs(one - other) <= TOLERANCE * Math.max(1, Math.abs(one));
    }
  }
}
