/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.machine;

import com.fasterxml.jackson.databind.deser.std.StdDelegatingDeserializer;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.StdDelegatingSerializer;
import com.fasterxml.jackson.databind.util.StdConverter;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;

/** Histograms as JSON, whole, so that those of several rounds can be added up. */
final class HistogramJson extends SimpleModule {
  private static final long serialVersionUID = 1L;

  HistogramJson() {
    addSerializer(new StdDelegatingSerializer(Histogram.class, new Encoder()));
    addDeserializer(Histogram.class, new StdDelegatingDeserializer<>(new Decoder()));
  }

  private static final class Encoder extends StdConverter<Histogram, byte[]> {
    @Override
    public byte[] convert(Histogram histogram) {
      ByteBuffer buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
      return Arrays.copyOf(buffer.array(), histogram.encodeIntoCompressedByteBuffer(buffer));
    }
  }

  private static final class Decoder extends StdConverter<byte[], Histogram> {
    @Override
    public Histogram convert(byte[] bytes) {
      try {
        return Histogram.decodeFromCompressedByteBuffer(ByteBuffer.wrap(bytes), 0);
      } catch (DataFormatException e) {
        throw new IllegalArgumentException(e);
      }
    }
  }
}
