/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.search;

import dev.pread.benchmarks.machine.WrongResult;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.commons.math3.stat.descriptive.SummaryStatistics;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.MultiDocValues;
import org.apache.lucene.index.NumericDocValues;
import org.apache.lucene.search.DocAndFloatFeatureBuffer;
import org.apache.lucene.search.DocIdSetIterator;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.KnnFloatVectorQuery;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.VectorScorer;
import org.apache.lucene.store.Directory;
import org.apache.lucene.util.BitSetIterator;
import org.apache.lucene.util.SparseFixedBitSet;

/**
 * Searches nearest neighbours in a {@link VectorIndex}. Answers are kept, and checked when a phase
 * has ended, since that takes as long as a search that reads nothing. {@link #search} is for any
 * number of threads.
 */
final class Neighbours implements Closeable {
  private static final int CANDIDATES = 50;
  private static final int RESCORED = 100;

  /** One request of so many has a query whose true neighbours are known. */
  private static final long KNOWN_EVERY = 8;

  /**
   * A difference far above the rounding of a sum of hundreds of floats, and far below what a wrong
   * byte does.
   */
  private static final float TOLERANCE = 1e-5f;

  /** The least recall: a damaged graph finds next to nothing. */
  private static final double LEAST_RECALL = 0.5;

  private final DirectoryReader reader;
  private final IndexSearcher searcher;
  private final boolean rescores;
  private final List<List<Long>> trueNeighbours;
  private final Queue<Answer> answers = new ConcurrentLinkedQueue<>();
  private double recall = Double.NaN;

  private record Answer(long query, List<ScoreDoc> hits) {}

  Neighbours(Directory directory, Scenario scenario) throws IOException {
    this.reader = DirectoryReader.open(directory);
    this.searcher = new IndexSearcher(reader);
    this.rescores = scenario == Scenario.KNN_RESCORE;
    this.trueNeighbours = VectorIndex.trueNeighbours(reader);
    searcher.setQueryCache(null);
  }

  /**
   * Searches.
   *
   * @param number of the request: the true neighbours of the first one are known
   * @param drawn at random, and not negative
   */
  void search(long number, long drawn) throws IOException {
    long asked = number % KNOWN_EVERY == 0 ? drawn % trueNeighbours.size() : drawn;
    float[] query = VectorIndex.query(asked);
    int candidates = rescores ? RESCORED : CANDIDATES;
    ScoreDoc[] found =
        searcher.search(new KnnFloatVectorQuery(VectorIndex.VECTOR, query, candidates), candidates)
            .scoreDocs;
    if (rescores) {
      found = rescored(query, found);
    }
    answers.add(new Answer(asked, Arrays.stream(found).limit(VectorIndex.HITS).toList()));
  }

  /** Scores documents by their full vectors, those of a segment together; the best come first. */
  private ScoreDoc[] rescored(float[] query, ScoreDoc[] found) throws IOException {
    List<ScoreDoc> rescored = new ArrayList<>();
    DocAndFloatFeatureBuffer scores = new DocAndFloatFeatureBuffer();
    for (LeafReaderContext leaf : reader.leaves()) {
      int end = leaf.docBase + leaf.reader().maxDoc();
      SparseFixedBitSet docs = new SparseFixedBitSet(leaf.reader().maxDoc());
      for (ScoreDoc hit : found) {
        if (hit.doc >= leaf.docBase && hit.doc < end) {
          docs.set(hit.doc - leaf.docBase);
        }
      }
      VectorScorer.Bulk scorer =
          leaf.reader()
              .getFloatVectorValues(VectorIndex.VECTOR)
              .rescorer(query)
              .bulk(new BitSetIterator(docs, found.length));
      do {
        scorer.nextDocsAndScores(DocIdSetIterator.NO_MORE_DOCS, null, scores);
        for (int i = 0; i < scores.size; i++) {
          rescored.add(new ScoreDoc(leaf.docBase + scores.docs[i], scores.features[i]));
        }
      } while (scores.size > 0);
    }
    rescored.sort(Comparator.comparingDouble(hit -> -hit.score));
    return rescored.toArray(ScoreDoc[]::new);
  }

  /**
   * Checks all answers since the last call: as many hits as there are to be, each once, in the
   * order of their scores, which are those of their vectors, and most of the true neighbours.
   */
  void verify() throws IOException {
    long[] keys = new long[reader.maxDoc()];
    NumericDocValues values = MultiDocValues.getNumericValues(reader, VectorIndex.KEY);
    while (values.nextDoc() != DocIdSetIterator.NO_MORE_DOCS) {
      keys[values.docID()] = values.longValue();
    }
    SummaryStatistics known = new SummaryStatistics();
    for (Answer answer = answers.poll(); answer != null; answer = answers.poll()) {
      Set<Long> found = check(answer, keys);
      if (answer.query() < trueNeighbours.size()) {
        List<Long> nearest = trueNeighbours.get((int) answer.query());
        found.retainAll(nearest);
        known.addValue((double) found.size() / nearest.size());
      }
    }
    recall = known.getMean();
    if (recall < LEAST_RECALL) {
      throw new WrongResult(
          String.format(Locale.ROOT, "only %.2f of the true neighbours are found", recall));
    }
  }

  private static Set<Long> check(Answer answer, long[] keys) {
    float[] query = VectorIndex.query(answer.query());
    Set<Long> found = new HashSet<>();
    float last = Float.POSITIVE_INFINITY;
    for (ScoreDoc hit : answer.hits()) {
      long key = keys[hit.doc];
      float score = VectorIndex.SIMILARITY.compare(query, VectorIndex.vector(key));
      boolean isRight = Math.abs(score - hit.score) <= TOLERANCE && hit.score <= last;
      if (!isRight || !found.add(key)) {
        throw new WrongResult(
            "query " + answer.query() + " finds " + key + " by " + hit.score + " and not " + score);
      }
      last = hit.score;
    }
    if (found.size() != Math.min(VectorIndex.HITS, keys.length)) {
      throw new WrongResult("query " + answer.query() + " finds " + found.size() + " neighbours");
    }
    return found;
  }

  /**
   * Returns which part of the true neighbours the answers found that were checked last; not a
   * number where none are known.
   */
  double recall() {
    return recall;
  }

  @Override
  public void close() throws IOException {
    reader.close();
  }
}
