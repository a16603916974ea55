/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.index;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pread.benchmarks.index.BenchQuery.TopHits;
import java.io.IOException;
import java.util.Arrays;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.KnnFloatVectorField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.VectorSimilarityFunction;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.KnnFloatVectorQuery;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TopDocs;
import org.apache.lucene.search.TotalHits;
import org.apache.lucene.store.ByteBuffersDirectory;
import org.apache.lucene.store.Directory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Nearest neighbours are compared by their true scores, all other hits bit by bit. */
class TopHitsTest {
  /** Scores are 0.9, 0.8, 0.7 and so on for the documents 0, 1, 2 and so on. */
  private static final int VECTORS = 8;

  private final TopHits query =
      TopHits.of(new KnnFloatVectorQuery("vector", new float[] {1, 0}, 5));

  /** The last document has no vector. */
  private static DirectoryReader index(Directory directory) throws IOException {
    try (IndexWriter writer = new IndexWriter(directory, new IndexWriterConfig())) {
      for (int i = 0; i < VECTORS; i++) {
        // Lucene's score of a dot product is (1 + product) / 2.
        float x = 2 * (0.9f - i / 10f) - 1;
        float[] vector = {x, (float) Math.sqrt(1 - x * x)};
        Document doc = new Document();
        doc.add(new KnnFloatVectorField("vector", vector, VectorSimilarityFunction.DOT_PRODUCT));
        writer.addDocument(doc);
        if (i == 2) {
          writer.flush();
        }
      }
      writer.addDocument(new Document());
      return DirectoryReader.open(writer);
    }
  }

  /** Returns an answer of hits that are written as document and score. */
  private static BenchQuery.Answer answer(long checksum, String hits) {
    ScoreDoc[] docs =
        Arrays.stream(hits.split(" ", -1))
            .map(hit -> hit.split(":", -1))
            .map(hit -> new ScoreDoc(Integer.parseInt(hit[0]), Float.parseFloat(hit[1])))
            .toArray(ScoreDoc[]::new);
    TotalHits total = new TotalHits(docs.length, TotalHits.Relation.EQUAL_TO);
    return new BenchQuery.Answer(checksum, new TopDocs(total, docs));
  }

  @ParameterizedTest
  @CsvSource({
    "true, 0:0.9000001 1:0.7999999 2:0.7 3:0.6 4:0.5", // the last bits
    "true, 0:0.9 1:0.8 2:0.7 3:0.6 5:0.4", // another one, with its score
    "false, 1:0.8 0:0.9 2:0.7 3:0.6 4:0.5", // another order
    "false, 0:0.9 1:0.8 2:0.7 3:0.6 5:0.5", // another one's score
    "false, 0:0.9 1:0.8 2:0.7 3:0.6 4:0.51", // its own is another
    "false, 0:0.9 1:0.8 2:0.7 5:0.4 6:0.3", // too few in common
    "false, 0:0.9 1:0.8 2:0.7 3:0.6 8:0.5", // has no vector
    "false, 0:0.9 1:0.8 2:0.7 3:0.6 3:0.6", // one twice
    "false, 0:0.9 1:0.8 2:0.7 3:0.6", // one less
  })
  void neighboursAreTheSameWithTheirTrueScores(boolean same, String other) throws IOException {
    BenchQuery.Answer right = answer(1, "0:0.9 1:0.8 2:0.7 3:0.6 4:0.5");
    try (Directory directory = new ByteBuffersDirectory();
        DirectoryReader reader = index(directory)) {
      assertEquals(same, query.same(right, answer(2, other), new IndexSearcher(reader)));
    }
  }
}
