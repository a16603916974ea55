/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import dev.pread.Fixtures;
import dev.pread.LuceneCalls;
import java.io.IOException;
import java.util.Random;
import org.apache.lucene.store.IndexInput;
import org.apache.lucene.store.RandomAccessInput;

/** Draws operations on an input, with a liking for the borders of buffers, slices and files. */
final class RandomOperations {

  /** How an operation moves the cursor. */
  enum Cursor {
    /** It moves as far as the operation read, or not at all where that failed. */
    ALL_OR_NOTHING,
    /** It is anywhere after the operation has failed. */
    ANYWHERE_AFTER_FAILURE,
    /** It does not move. */
    STAYS
  }

  /** What an operation does to an input, seen as a cursor and as absolute reads. */
  interface Body {
    Object apply(IndexInput cursor, RandomAccessInput absolute) throws IOException;
  }

  /**
   * @param text for messages
   */
  record Operation(String text, Cursor cursor, Body body) {}

  private final Random random;
  private final int bufferSize;

  RandomOperations(Random random, int bufferSize) {
    this.random = random;
    this.bufferSize = bufferSize;
  }

  /** Returns a position in the file, or once in a while somewhere outside of it. */
  long position(ModelInput model) {
    long length = model.length();
    if (random.nextInt(20) == 0) {
      return switch (random.nextInt(6)) {
        case 0 -> -1;
        case 1 -> Long.MIN_VALUE + random.nextInt(100);
        case 2 -> Long.MAX_VALUE - random.nextInt(100);
        case 3 -> Integer.MAX_VALUE + (long) random.nextInt(100);
        case 4 -> (1L << 32) + random.nextInt((int) length + 1);
        default -> length + 1 + random.nextInt(100);
      };
    }
    long position =
        switch (random.nextInt(6)) {
          case 0 -> random.nextInt(9);
          case 1 -> length - random.nextInt(10);
          case 2 -> {
            // This is around a border of buffers, which lie at multiples of their size in the file.
            long border = (random.nextInt((int) length / bufferSize + 2) * (long) bufferSize);
            yield border - model.start() + random.nextInt(17) - 8;
          }
          case 3 -> model.getFilePointer() + random.nextInt(33) - 16;
          default -> random.nextInt((int) length + 1);
        };
    return Math.clamp(position, 0L, length);
  }

  /** Elements of a bulk read: mostly few, sometimes more than a buffer, seldom too many. */
  private int count(ModelInput model, int elementSize) {
    int left = (int) (model.length() - model.getFilePointer()) / elementSize;
    return switch (random.nextInt(8)) {
      case 0 -> 0;
      case 1 -> random.nextInt(3 * bufferSize / elementSize + 4);
      case 2 -> left;
      case 3 -> left + 1 + random.nextInt(10);
      case 4 -> bufferSize / elementSize + random.nextInt(3) - 1;
      default -> Math.min(left, random.nextInt(40));
    };
  }

  Operation next(ModelInput model) {
    return switch (random.nextInt(8)) {
      case 0, 1, 2 -> single();
      case 3, 4 -> bulk(model);
      case 5, 6 -> absolute(model);
      default -> move(model);
    };
  }

  private Operation single() {
    return switch (random.nextInt(9)) {
      case 0 -> relative("readByte", (c, a) -> c.readByte());
      case 1 -> relative("readShort", (c, a) -> c.readShort());
      case 2 -> relative("readInt", (c, a) -> c.readInt());
      case 3 -> relative("readLong", (c, a) -> c.readLong());
      case 4 -> variable("readVInt", (c, a) -> c.readVInt());
      case 5 -> variable("readVLong", (c, a) -> c.readVLong());
      case 6 -> variable("readZInt", (c, a) -> c.readZInt());
      case 7 -> variable("readZLong", (c, a) -> c.readZLong());
      default -> {
        int limit = random.nextInt(30);
        yield variable(
            "readGroupVInts(" + limit + ")", (c, a) -> LuceneCalls.readGroupVInts(c, limit));
      }
    };
  }

  private Operation bulk(ModelInput model) {
    int offset = random.nextInt(3);
    return switch (random.nextInt(4)) {
      case 0 -> {
        int bytes = count(model, Byte.BYTES);
        yield relative(
            "readBytes(" + bytes + ")",
            (c, a) -> {
              byte[] dst = new byte[bytes + offset + 1];
              c.readBytes(dst, offset, bytes);
              return dst;
            });
      }
      case 1 -> {
        int ints = count(model, Integer.BYTES);
        yield relative(
            "readInts(" + ints + ")",
            (c, a) -> {
              int[] dst = new int[ints + offset + 1];
              c.readInts(dst, offset, ints);
              return dst;
            });
      }
      case 2 -> {
        int longs = count(model, Long.BYTES);
        yield relative(
            "readLongs(" + longs + ")",
            (c, a) -> {
              long[] dst = new long[longs + offset + 1];
              c.readLongs(dst, offset, longs);
              return dst;
            });
      }
      default -> {
        int floats = count(model, Float.BYTES);
        yield relative(
            "readFloats(" + floats + ")",
            (c, a) -> {
              float[] dst = new float[floats + offset + 1];
              c.readFloats(dst, offset, floats);
              return dst;
            });
      }
    };
  }

  private Operation absolute(ModelInput model) {
    long at = position(model);
    int offset = random.nextInt(3);
    int bytes = count(model, Byte.BYTES);
    return switch (random.nextInt(5)) {
      case 0 -> absolute("readByte(" + at + ")", (c, a) -> a.readByte(at));
      case 1 -> absolute("readShort(" + at + ")", (c, a) -> a.readShort(at));
      case 2 -> absolute("readInt(" + at + ")", (c, a) -> a.readInt(at));
      case 3 -> absolute("readLong(" + at + ")", (c, a) -> a.readLong(at));
      default ->
          absolute(
              "readBytes(at " + at + ", " + bytes + ")",
              (c, a) -> {
                byte[] dst = new byte[bytes + offset + 1];
                LuceneCalls.readBytes(a, at, dst, offset, bytes);
                return dst;
              });
    };
  }

  private Operation move(ModelInput model) {
    long at = position(model);
    return switch (random.nextInt(5)) {
      case 0 -> {
        long skip = at - model.getFilePointer();
        yield relative("skipBytes(" + skip + ")", (c, a) -> skip(c, skip));
      }
      case 1 -> {
        int length = random.nextInt(5) == 0 ? 1 : count(model, Byte.BYTES);
        yield absolute(
            "prefetch(" + at + ", " + length + ")",
            (c, a) -> {
              LuceneCalls.prefetch(c, at, length);
              return null;
            });
      }
      case 2 -> {
        int context = random.nextInt(Fixtures.CONTEXTS.size());
        yield absolute(
            "updateIOContext(" + context + ")",
            (c, a) -> {
              LuceneCalls.updateIOContext(c, Fixtures.CONTEXTS.get(context));
              return null;
            });
      }
      default ->
          relative(
              "seek(" + at + ")",
              (c, a) -> {
                c.seek(at);
                return null;
              });
    };
  }

  private static Object skip(IndexInput input, long count) throws IOException {
    input.skipBytes(count);
    return null;
  }

  private static Operation relative(String text, Body body) {
    return new Operation(text, Cursor.ALL_OR_NOTHING, body);
  }

  private static Operation variable(String text, Body body) {
    return new Operation(text, Cursor.ANYWHERE_AFTER_FAILURE, body);
  }

  private static Operation absolute(String text, Body body) {
    return new Operation(text, Cursor.STAYS, body);
  }
}
