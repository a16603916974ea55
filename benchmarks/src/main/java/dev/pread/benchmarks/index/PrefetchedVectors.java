/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.index;

import java.io.IOException;
import org.apache.lucene.codecs.KnnVectorsFormat;
import org.apache.lucene.codecs.KnnVectorsReader;
import org.apache.lucene.codecs.KnnVectorsWriter;
import org.apache.lucene.codecs.hnsw.FlatVectorScorerUtil;
import org.apache.lucene.codecs.hnsw.FlatVectorsFormat;
import org.apache.lucene.codecs.hnsw.FlatVectorsReader;
import org.apache.lucene.codecs.hnsw.FlatVectorsScorer;
import org.apache.lucene.codecs.hnsw.PrefetchableFlatVectorScorer;
import org.apache.lucene.codecs.lucene104.Lucene104HnswScalarQuantizedVectorsFormat;
import org.apache.lucene.codecs.lucene104.Lucene104ScalarQuantizedVectorScorer;
import org.apache.lucene.codecs.lucene104.Lucene104ScalarQuantizedVectorsReader;
import org.apache.lucene.codecs.lucene99.Lucene99FlatVectorsFormat;
import org.apache.lucene.codecs.lucene99.Lucene99HnswVectorsFormat;
import org.apache.lucene.codecs.lucene99.Lucene99HnswVectorsReader;
import org.apache.lucene.index.SegmentReadState;
import org.apache.lucene.index.SegmentWriteState;
import org.apache.lucene.util.quantization.QuantizedByteVectorValues.ScalarEncoding;

/**
 * A format of Lucene's, unchanged on the disk, whose full vectors are announced by {@code prefetch}
 * before several of them are scored, as search servers do. Lucene has the scorer that announces
 * them, but no format that uses it.
 */
public abstract class PrefetchedVectors extends KnnVectorsFormat {
  private static final int CONNECTIONS = 16;
  private static final int BEAM_WIDTH = 100;

  private static final FlatVectorsScorer SCORER =
      FlatVectorScorerUtil.getLucene99FlatVectorsScorer();

  private static final FlatVectorsFormat ANNOUNCED =
      new Lucene99FlatVectorsFormat(new PrefetchableFlatVectorScorer(SCORER));

  private final KnnVectorsFormat written;

  /** A graph of full vectors. */
  public static final class Full extends PrefetchedVectors {
    /** Creates it for Lucene, which finds the format by its name. */
    public Full() {
      super(
          "PreadBenchmarkFull", new Lucene99HnswVectorsFormat(CONNECTIONS, BEAM_WIDTH, 1, null, 0));
    }
  }

  /** A graph of vectors of one bit for each dimension, and the full ones beside it. */
  public static final class Quantized extends PrefetchedVectors {
    /** Creates it for Lucene, which finds the format by its name. */
    public Quantized() {
      super(
          "PreadBenchmarkQuantized",
          new Lucene104HnswScalarQuantizedVectorsFormat(
              ScalarEncoding.SINGLE_BIT_QUERY_NIBBLE, CONNECTIONS, BEAM_WIDTH, 1, null, 0));
    }

    @Override
    FlatVectorsReader flat(SegmentReadState state) throws IOException {
      return new Lucene104ScalarQuantizedVectorsReader(
          state, super.flat(state), new Lucene104ScalarQuantizedVectorScorer(SCORER));
    }
  }

  private PrefetchedVectors(String name, KnnVectorsFormat written) {
    super(name);
    this.written = written;
  }

  FlatVectorsReader flat(SegmentReadState state) throws IOException {
    return ANNOUNCED.fieldsReader(state);
  }

  @Override
  public KnnVectorsWriter fieldsWriter(SegmentWriteState state) throws IOException {
    return written.fieldsWriter(state);
  }

  @Override
  public KnnVectorsReader fieldsReader(SegmentReadState state) throws IOException {
    return new Lucene99HnswVectorsReader(state, flat(state));
  }

  @Override
  public int getMaxDimensions(String field) {
    return written.getMaxDimensions(field);
  }

  @Override
  public String toString() {
    return written.toString();
  }
}
