/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.scenario;

import dev.pread.benchmarks.load.Latencies;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;

/**
 * What was measured in one stretch of time.
 *
 * @param requests that were served
 * @param docs read or written by them
 * @param bytes of their texts
 * @param nanos that it took, the commit of what was written included
 * @param unserved requests that were due and still waiting long after the end
 * @param besideBytes of texts, by the writer beside the requests
 * @param histogram of the latencies in nanoseconds, as it travels
 * @param costs of all this
 */
record Phase(
    long requests,
    long docs,
    long bytes,
    long nanos,
    long unserved,
    long besideBytes,
    String histogram,
    Costs costs) {

  /** A histogram as text. */
  static String encode(Histogram histogram) {
    ByteBuffer buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
    int length = histogram.encodeIntoCompressedByteBuffer(buffer);
    byte[] bytes = new byte[length];
    buffer.flip().get(bytes);
    return Base64.getEncoder().encodeToString(bytes);
  }

  /** The latencies, nanoseconds; the caller's. */
  Histogram latencies() {
    try {
      Histogram decoded =
          Histogram.decodeFromCompressedByteBuffer(
              ByteBuffer.wrap(Base64.getDecoder().decode(histogram)), 0);
      Histogram copy = Latencies.histogram();
      copy.add(decoded);
      return copy;
    } catch (DataFormatException e) {
      throw new IllegalStateException("a histogram of our own cannot be read", e);
    }
  }

  /** Requests per second. */
  double rate() {
    return requests / (nanos / 1e9);
  }
}
