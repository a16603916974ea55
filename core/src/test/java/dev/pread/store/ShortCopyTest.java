/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.pread.Fixtures;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;

class ShortCopyTest {

  private static final int LENGTH = 100;

  private final byte[] data = Fixtures.randomBytes(Fixtures.SEED, LENGTH);
  private final ByteBuffer direct =
      ByteBuffer.allocateDirect(LENGTH).put(data).clear().order(ByteOrder.LITTLE_ENDIAN);

  @Test
  void copiesTheRangeAndNothingElse() {
    for (int count = 0; count <= 70; count++) {
      for (int from = 0; from <= LENGTH - count; from++) {
        byte[] expected = new byte[count + 9];
        System.arraycopy(data, from, expected, 5, count);
        byte[] dst = new byte[count + 9];
        ShortCopy.copy(direct, from, dst, 5, count);
        assertArrayEquals(expected, dst, count + " bytes from " + from);
      }
    }
  }

  @Test
  void refusesWhatIsOutOfRangeAndTouchesNothing() {
    for (int count : new int[] {1, 3, 7, 8, 20, 32, 33, 60}) {
      byte[] dst = new byte[count];
      for (int offset : new int[] {-1, 1, count, count + 1, Integer.MAX_VALUE}) {
        assertThrows(
            IndexOutOfBoundsException.class, () -> ShortCopy.copy(direct, 0, dst, offset, count));
        assertArrayEquals(new byte[count], dst, "offset " + offset);
      }
      assertThrows(
          IndexOutOfBoundsException.class,
          () -> ShortCopy.copy(direct, LENGTH - count + 1, dst, 0, count));
    }
    assertThrows(
        IndexOutOfBoundsException.class, () -> ShortCopy.copy(direct, 0, new byte[4], 5, 0));
  }
}
