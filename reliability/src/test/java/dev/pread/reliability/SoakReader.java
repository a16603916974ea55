/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.reliability;

import static dev.pread.reliability.SoakFiles.longAt;

import dev.pread.reliability.SoakFiles.OpenFile;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Random;
import org.apache.lucene.store.IndexInput;
import org.apache.lucene.store.MemorySegmentAccessInput;
import org.apache.lucene.store.RandomAccessInput;

/** Reads in all ways that Lucene does, and compares every byte. It is for one thread. */
final class SoakReader {

  private static final int BATCH = 64;
  private static final int SMALL = 512;
  private static final ValueLayout.OfLong LITTLE_ENDIAN_LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private final Random random;
  private final byte[] bytes = new byte[2048];
  private final long[] longs = new long[256];
  private final int[] ints = new int[256];
  private final float[] floats = new float[256];

  /** What is being read, for who finds a wrong byte. */
  private OpenFile file;

  private long position;

  SoakReader(Random random) {
    this.random = random;
  }

  /** A byte that is not what was written. */
  static final class WrongByteException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    WrongByteException(String message) {
      super(message);
    }
  }

  OpenFile file() {
    return file;
  }

  long position() {
    return position;
  }

  /**
   * Reads some places of a file.
   *
   * @return how many reads that were
   */
  long read(OpenFile of) throws IOException {
    file = of;
    long start = random.nextInt(4) == 0 ? random.nextLong(of.length()) : 0;
    IndexInput input =
        start == 0
            ? of.input().clone()
            : of.input().slice("part", start, of.length() - start).clone();
    long length = of.length() - start;
    if (length < 16) {
      return 0;
    }
    long[] places = random.longs(8, 0, length - 15).toArray();
    if (random.nextInt(8) == 0) {
      // Lucene announces in the same way what it will read a little of: up to a chunk of documents.
      for (long at : places) {
        int bytes = SMALL + random.nextInt(SMALL << random.nextInt(8));
        input.prefetch(at, Math.min(bytes, length - at));
      }
    }
    long reads = 0;
    for (long at : places) {
      if (random.nextInt(16) == 0) {
        input.prefetch(at, 1 + random.nextLong(length - at));
      }
      reads += readAt(input, start, at, length);
    }
    return reads;
  }

  private long readAt(IndexInput input, long start, long at, long length) throws IOException {
    position = start + at;
    int fit = (int) Math.min(BATCH, (length - at) / Long.BYTES);
    switch (random.nextInt(12)) {
      case 0, 1, 2, 3 -> {
        input.seek(at);
        for (int i = 0; i < fit; i++) {
          check(position, Long.BYTES, input.readLong());
          position += Long.BYTES;
        }
      }
      case 4, 5, 6 -> {
        RandomAccessInput absolute = (RandomAccessInput) input;
        for (int i = 0; i < fit; i++) {
          check(position, Long.BYTES, absolute.readLong(at + (long) i * Long.BYTES));
          position += Long.BYTES;
        }
      }
      case 7 -> {
        input.seek(at);
        for (int i = 0; i < fit; i++) {
          check(position, Integer.BYTES, input.readInt());
          check(position + 4, Short.BYTES, input.readShort());
          check(position + 6, Byte.BYTES, input.readByte());
          position += 7;
        }
      }
      case 8 -> {
        int count = (int) Math.min(1 + random.nextInt(bytes.length), length - at);
        if (random.nextBoolean()) {
          input.seek(at);
          input.readBytes(bytes, 0, count);
        } else {
          ((RandomAccessInput) input).readBytes(at, bytes, 0, count);
        }
        checkBytes(count);
        fit = 1;
      }
      case 9 -> {
        int count = (int) Math.min(longs.length, (length - at) / Long.BYTES);
        input.seek(at);
        input.readLongs(longs, 0, count);
        for (int i = 0; i < count; i++) {
          check(position + (long) i * Long.BYTES, Long.BYTES, longs[i]);
        }
        fit = 1;
      }
      case 10 -> {
        int count = (int) Math.min(ints.length, (length - at) / Integer.BYTES / 2);
        input.seek(at);
        input.readInts(ints, 0, count);
        input.readFloats(floats, 0, count);
        for (int i = 0; i < count; i++) {
          long place = position + (long) i * Integer.BYTES;
          check(place, Integer.BYTES, ints[i]);
          check(
              place + (long) count * Float.BYTES, Float.BYTES, Float.floatToRawIntBits(floats[i]));
        }
        fit = 2;
      }
      default -> fit = readInPlace(input, at, fit);
    }
    return fit;
  }

  /** Reads in memory that is handed out, where the input has any to hand out. */
  private int readInPlace(IndexInput input, long at, int fit) throws IOException {
    MemorySegment segment =
        input instanceof MemorySegmentAccessInput access
            ? access.segmentSliceOrNull(at, (long) fit * Long.BYTES)
            : null;
    if (segment == null) {
      return 0;
    }
    for (int i = 0; i < fit; i++) {
      check(
          position + (long) i * Long.BYTES,
          Long.BYTES,
          segment.get(LITTLE_ENDIAN_LONG, (long) i * Long.BYTES));
    }
    return fit;
  }

  private void checkBytes(int count) {
    int i = 0;
    for (; i + Long.BYTES <= count; i += Long.BYTES) {
      long read = 0;
      for (int j = Long.BYTES - 1; j >= 0; j--) {
        read = (read << Byte.SIZE) | (bytes[i + j] & 0xFF);
      }
      check(position + i, Long.BYTES, read);
    }
    for (; i < count; i++) {
      check(position + i, Byte.BYTES, bytes[i]);
    }
  }

  private void check(long at, int size, long read) {
    int unused = Long.SIZE - size * Byte.SIZE;
    long difference = (longAt(file.bytes(), at) ^ read) << unused;
    if (difference != 0) {
      position = at;
      throw new WrongByteException(
          "wrong bytes at "
              + at
              + " of "
              + file.name()
              + " ("
              + file.length()
              + " bytes): "
              + Long.toHexString(read)
              + " instead of "
              + Long.toHexString(longAt(file.bytes(), at)));
    }
  }
}
