/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.child;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.deser.std.StdDeserializer;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.StdSerializer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;

/** Histograms as JSON, whole, so that those of several rounds can be added up. */
final class HistogramJson extends SimpleModule {
  private static final long serialVersionUID = 1L;

  HistogramJson() {
    addSerializer(Histogram.class, new Writer());
    addDeserializer(Histogram.class, new Reader());
  }

  private static final class Writer extends StdSerializer<Histogram> {
    private static final long serialVersionUID = 1L;

    Writer() {
      super(Histogram.class);
    }

    @Override
    public void serialize(Histogram histogram, JsonGenerator json, SerializerProvider any)
        throws IOException {
      ByteBuffer buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
      int length = histogram.encodeIntoCompressedByteBuffer(buffer);
      json.writeBinary(Arrays.copyOf(buffer.array(), length));
    }
  }

  private static final class Reader extends StdDeserializer<Histogram> {
    private static final long serialVersionUID = 1L;

    Reader() {
      super(Histogram.class);
    }

    @Override
    public Histogram deserialize(JsonParser json, DeserializationContext any) throws IOException {
      try {
        Histogram histogram =
            Histogram.decodeFromCompressedByteBuffer(ByteBuffer.wrap(json.getBinaryValue()), 0);
        histogram.setAutoResize(true);
        return histogram;
      } catch (DataFormatException e) {
        throw new IOException(e);
      }
    }
  }
}
