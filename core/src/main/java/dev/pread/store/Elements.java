/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import dev.pread.posix.NativeBuffer;
import java.io.IOException;

/**
 * A kind of array that bulk reads fill, so that what is done when a read does not end in its window
 * is written once for all kinds.
 *
 * @param <A> the type of the array
 */
abstract class Elements<A> implements FileReader.Kind<A> {

  static final Elements<byte[]> BYTES =
      new Elements<>(Byte.BYTES) {
        @Override
        void copy(
            Access access, WindowedPreadInput from, int index, byte[] dst, int offset, int count) {
          access.getBytes(from, index, dst, offset, count);
        }

        @Override
        public void copy(NativeBuffer from, int index, byte[] dst, int offset, int count) {
          from.get(index, dst, offset, count);
        }

        @Override
        void readOne(WindowedPreadInput from, byte[] dst, int i) throws IOException {
          dst[i] = from.readByte();
        }
      };

  static final Elements<long[]> LONGS =
      new Elements<>(Long.BYTES) {
        @Override
        void copy(
            Access access, WindowedPreadInput from, int index, long[] dst, int offset, int count) {
          access.getLongs(from, index, dst, offset, count);
        }

        @Override
        public void copy(NativeBuffer from, int index, long[] dst, int offset, int count) {
          from.getLongs(index, dst, offset, count);
        }

        @Override
        void readOne(WindowedPreadInput from, long[] dst, int i) throws IOException {
          dst[i] = from.readLong();
        }
      };

  static final Elements<int[]> INTS =
      new Elements<>(Integer.BYTES) {
        @Override
        void copy(
            Access access, WindowedPreadInput from, int index, int[] dst, int offset, int count) {
          access.getInts(from, index, dst, offset, count);
        }

        @Override
        public void copy(NativeBuffer from, int index, int[] dst, int offset, int count) {
          from.getInts(index, dst, offset, count);
        }

        @Override
        void readOne(WindowedPreadInput from, int[] dst, int i) throws IOException {
          dst[i] = from.readInt();
        }
      };

  static final Elements<float[]> FLOATS =
      new Elements<>(Float.BYTES) {
        @Override
        void copy(
            Access access, WindowedPreadInput from, int index, float[] dst, int offset, int count) {
          access.getFloats(from, index, dst, offset, count);
        }

        @Override
        public void copy(NativeBuffer from, int index, float[] dst, int offset, int count) {
          from.getFloats(index, dst, offset, count);
        }

        @Override
        void readOne(WindowedPreadInput from, float[] dst, int i) throws IOException {
          dst[i] = Float.intBitsToFloat(from.readInt());
        }
      };

  /** The size of one element in bytes. */
  final int bytes;

  private Elements(int bytes) {
    this.bytes = bytes;
  }

  @Override
  public final int size() {
    return bytes;
  }

  /** Copies {@code count} elements out of an input's window. */
  abstract void copy(
      Access access, WindowedPreadInput from, int index, A dst, int offset, int count);

  /** Reads one element at the cursor, which may lie in two windows. */
  abstract void readOne(WindowedPreadInput from, A dst, int i) throws IOException;
}
