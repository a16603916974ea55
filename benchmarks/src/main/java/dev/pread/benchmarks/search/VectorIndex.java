/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.search;

import dev.pread.benchmarks.index.DirectoryKind;
import dev.pread.benchmarks.index.Kept;
import dev.pread.benchmarks.index.PrefetchedVectors;
import dev.pread.benchmarks.machine.Load;
import dev.pread.benchmarks.machine.Progress;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.apache.lucene.codecs.Codec;
import org.apache.lucene.codecs.KnnVectorsFormat;
import org.apache.lucene.codecs.lucene104.Lucene104Codec;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.KnnFloatVectorField;
import org.apache.lucene.document.NumericDocValuesField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.NoMergePolicy;
import org.apache.lucene.index.VectorSimilarityFunction;
import org.apache.lucene.store.FSDirectory;
import org.apache.lucene.util.VectorUtil;
import org.apache.lucene.util.hnsw.NeighborQueue;

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
  static Kept build(Path work, Scenario scenario, int vectors, Progress progress)
      throws IOException {
    // This is all that it depends on but the random numbers, which are the same for ever.
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
          write(folder, scenario, vectors, progress);
          progress.finish(String.format(Locale.ROOT, "indexed %,d vectors", vectors));
          return new Kept(origin, vectors, 1);
        });
  }

  private static void write(Path folder, Scenario scenario, int vectors, Progress progress)
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
    TrueNeighbours nearest = new TrueNeighbours();
    try (FSDirectory directory = DirectoryKind.NEUTRAL.openForWriting(folder);
        IndexWriter writer = new IndexWriter(directory, config)) {
      Load.closed(
          threads,
          key -> key < vectors,
          key -> {
            float[] vector = vector(key);
            nearest.offer((int) key, vector);
            Document doc = new Document();
            doc.add(new KnnFloatVectorField(VECTOR, vector, SIMILARITY));
            doc.add(new NumericDocValuesField(KEY, key));
            writer.addDocument(doc);
            progress.update(key / (double) vectors, key + " vectors");
          });
      writer.setLiveCommitData(Map.of(TRUE_NEIGHBOURS, nearest.toString()).entrySet());
      writer.commit();
    }
  }

  /**
   * Keeps the nearest so far of the queries whose true neighbours are to be known, while the
   * vectors are at hand: a search of the finished index would read it once for each query. It is
   * thread-safe.
   */
  private static final class TrueNeighbours {
    private final List<float[]> queries =
        LongStream.range(0, KNOWN_QUERIES).mapToObj(VectorIndex::query).toList();
    private final List<NeighborQueue> nearest =
        queries.stream().map(query -> new NeighborQueue(HITS, false)).toList();

    void offer(int key, float[] vector) {
      for (int i = 0; i < KNOWN_QUERIES; i++) {
        float score = SIMILARITY.compare(queries.get(i), vector);
        NeighborQueue queue = nearest.get(i);
        synchronized (queue) {
          queue.insertWithOverflow(key, score);
        }
      }
    }

    @Override
    public String toString() {
      return nearest.stream()
          .map(queue -> Arrays.stream(queue.nodes()).mapToObj(Integer::toString))
          .map(keys -> keys.collect(Collectors.joining(" ")))
          .collect(Collectors.joining("\n"));
    }
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
