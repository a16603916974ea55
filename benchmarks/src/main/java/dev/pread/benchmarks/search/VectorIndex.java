/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.search;

import dev.pread.benchmarks.index.DirectoryKind;
import dev.pread.benchmarks.index.Kept;
import dev.pread.benchmarks.index.PrefetchedVectors;
import dev.pread.benchmarks.machine.Load;
import dev.pread.benchmarks.machine.Progress;
import dev.pread.benchmarks.machine.StopSignal;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import org.apache.lucene.codecs.Codec;
import org.apache.lucene.codecs.KnnVectorsFormat;
import org.apache.lucene.codecs.lucene104.Lucene104Codec;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.KnnFloatVectorField;
import org.apache.lucene.document.NumericDocValuesField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.MultiDocValues;
import org.apache.lucene.index.NoMergePolicy;
import org.apache.lucene.index.NumericDocValues;
import org.apache.lucene.index.VectorSimilarityFunction;
import org.apache.lucene.queries.function.FunctionScoreQuery;
import org.apache.lucene.search.DocIdSetIterator;
import org.apache.lucene.search.DoubleValuesSource;
import org.apache.lucene.search.FullPrecisionFloatVectorSimilarityValuesSource;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.MatchAllDocsQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.store.FSDirectory;
import org.apache.lucene.util.VectorUtil;

/**
 * Builds an index of vectors that are computed from their keys, the numbers from 0, so that each
 * can be had again to check a score. They lie in clusters, and there in few directions, as
 * embeddings do; neighbours have keys that are far apart. The commit says which are the true
 * neighbours of some queries.
 */
final class VectorIndex {
  static final String VECTOR = "vector";
  static final String KEY = "key";
  static final int DIMENSIONS = 768;
  static final int VECTOR_BYTES = DIMENSIONS * Float.BYTES;
  static final int HITS = 10;
  static final VectorSimilarityFunction SIMILARITY = VectorSimilarityFunction.DOT_PRODUCT;
  private static final int KNOWN_QUERIES = 64;

  private static final String TRUE_NEIGHBOURS = "true neighbours";
  private static final long FIRST_QUERY = 1L << 40;
  private static final int MAX_THREADS = 4;
  private static final double MAX_BUFFER_MB = 1_500;
  private static final float[][] CENTRES = unitVectors(1, 1_000);

  private static final float[][] DIRECTIONS = unitVectors(2, 32);
  private static final double SPREAD = 0.3;

  private VectorIndex() {}

  private static float[][] unitVectors(long seed, int count) {
    SplittableRandom random = new SplittableRandom(seed);
    float[][] vectors = new float[count][DIMENSIONS];
    for (float[] vector : vectors) {
      for (int d = 0; d < DIMENSIONS; d++) {
        vector[d] = (float) random.nextDouble(-1, 1);
      }
      VectorUtil.l2normalize(vector);
    }
    return vectors;
  }

  static float[] vector(long key) {
    SplittableRandom random = new SplittableRandom(new SplittableRandom(key).nextLong());
    float[] vector = CENTRES[random.nextInt(CENTRES.length)].clone();
    for (float[] direction : DIRECTIONS) {
      float step = (float) random.nextDouble(-SPREAD, SPREAD);
      for (int d = 0; d < DIMENSIONS; d++) {
        vector[d] += step * direction[d];
      }
    }
    return VectorUtil.l2normalize(vector);
  }

  /** Makes a query: a vector that is like those in the index, and not one of them. */
  static float[] query(long number) {
    return vector(FIRST_QUERY + number);
  }

  /** Reads the keys of the true neighbours of the first few queries. */
  static List<List<Long>> trueNeighbours(DirectoryReader reader) throws IOException {
    String all = reader.getIndexCommit().getUserData().get(TRUE_NEIGHBOURS);
    return all.lines()
        .map(line -> Arrays.stream(line.split(" ")).map(Long::valueOf).toList())
        .toList();
  }

  /** Builds an index in a work folder, or takes what an earlier run kept there. */
  static Kept build(Path work, Scenario scenario, int vectors, Progress progress, StopSignal stop)
      throws IOException {
    // All that it depends on but the random numbers, which are the same for ever.
    String origin =
        List.of(scenario, vectors, DIMENSIONS, CENTRES.length, DIRECTIONS.length, SPREAD)
            + " "
            + List.of(HITS, KNOWN_QUERIES, format(scenario), Codec.getDefault().getName());
    return Kept.take(
        work,
        work.resolve("index"),
        origin,
        folder -> {
          progress.start("indexing vectors for " + scenario);
          write(folder, scenario, vectors, progress, stop);
          progress.finish(String.format(Locale.ROOT, "indexed %,d vectors", vectors));
          return new Kept(origin, vectors, 1);
        });
  }

  private static void write(
      Path folder, Scenario scenario, int vectors, Progress progress, StopSignal stop)
      throws IOException {
    int threads = Math.min(MAX_THREADS, Runtime.getRuntime().availableProcessors());
    double heap = Runtime.getRuntime().maxMemory() / (double) (1 << 20);
    IndexWriterConfig config =
        new IndexWriterConfig()
            .setCodec(codec(scenario))
            .setUseCompoundFile(false)
            .setCommitOnClose(false)
            // A merge would build the graph once more, which takes minutes.
            .setMergePolicy(NoMergePolicy.INSTANCE)
            .setRAMBufferSizeMB(Math.min(MAX_BUFFER_MB, heap / 3));
    try (FSDirectory directory = DirectoryKind.NEUTRAL.openForWriting(folder);
        IndexWriter writer = new IndexWriter(directory, config)) {
      Load.closed(
          threads,
          key -> key < vectors,
          key -> {
            stop.check();
            Document doc = new Document();
            doc.add(new KnnFloatVectorField(VECTOR, vector(key), SIMILARITY));
            doc.add(new NumericDocValuesField(KEY, key));
            writer.addDocument(doc);
            progress.update(key / (double) vectors, key + " vectors");
          });
      writer.setLiveCommitData(Map.of(TRUE_NEIGHBOURS, trueNeighbours(writer, stop)).entrySet());
      writer.commit();
    }
  }

  /** Finds the true neighbours of the first few queries, by looking at all vectors. */
  private static String trueNeighbours(IndexWriter writer, StopSignal stop) throws IOException {
    try (DirectoryReader reader = DirectoryReader.open(writer)) {
      IndexSearcher searcher = new IndexSearcher(reader);
      long[] keys = keys(reader);
      List<String> lines = new ArrayList<>();
      for (int i = 0; i < KNOWN_QUERIES; i++) {
        stop.check();
        DoubleValuesSource exact =
            new FullPrecisionFloatVectorSimilarityValuesSource(query(i), VECTOR);
        Query all = new FunctionScoreQuery(MatchAllDocsQuery.INSTANCE, exact);
        lines.add(
            Arrays.stream(searcher.search(all, HITS).scoreDocs)
                .map(hit -> Long.toString(keys[hit.doc]))
                .collect(Collectors.joining(" ")));
      }
      return String.join("\n", lines);
    }
  }

  /** Returns the keys of all documents. */
  static long[] keys(DirectoryReader reader) throws IOException {
    long[] keys = new long[reader.maxDoc()];
    NumericDocValues values = MultiDocValues.getNumericValues(reader, KEY);
    while (values.nextDoc() != DocIdSetIterator.NO_MORE_DOCS) {
      keys[values.docID()] = values.longValue();
    }
    return keys;
  }

  private static PrefetchedVectors format(Scenario scenario) {
    return scenario == Scenario.KNN_RESCORE
        ? new PrefetchedVectors.Quantized()
        : new PrefetchedVectors.Full();
  }

  private static Codec codec(Scenario scenario) {
    KnnVectorsFormat format = format(scenario);
    return new Lucene104Codec() {
      @Override
      public KnnVectorsFormat getKnnVectorsFormatForField(String field) {
        return format;
      }
    };
  }
}
