/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.store.PreadIndexInput;
import java.io.EOFException;
import java.nio.file.Files;
import org.apache.lucene.store.IOContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Positions and lengths out of range, overflowing ones above all. */
class BadRangeTest extends BackendTestCase {

  private static final int LENGTH = 5000;
  private static final int SLICE_OFFSET = 1001;
  private static final int SLICE_LENGTH = 2003;

  private static final long[] POSITIONS_BEYOND_END = {
    1, 2, 8, 1000, Integer.MAX_VALUE, 1L << 32, Long.MAX_VALUE - LENGTH - 10,
  };

  private static final long[] NEGATIVE_POSITIONS = {
    -1,
    -2,
    -SLICE_OFFSET,
    -SLICE_OFFSET - 1,
    Integer.MIN_VALUE,
    -(1L << 32),
    Long.MIN_VALUE,
    Long.MIN_VALUE + 1
  };

  private final byte[] data = Fixtures.randomBytes(1, LENGTH);
  private PreadDirectory directory;
  private PreadIndexInput master;
  private PreadIndexInput slice;

  @BeforeEach
  void open() throws Exception {
    Files.write(folder.resolve("f"), data);
    directory = Fixtures.directory(folder, backend);
    master = (PreadIndexInput) directory.openInput("f", IOContext.DEFAULT);
    slice = master.slice("slice", SLICE_OFFSET, SLICE_LENGTH);
    // Something is buffered on both sides, and the cursor is somewhere in the middle.
    for (PreadIndexInput input : new PreadIndexInput[] {master, slice}) {
      input.seek(500);
      input.readByte();
      input.readByte(1700);
    }
    faults.forget();
  }

  @AfterEach
  void unchangedAndClosed() throws Exception {
    assertEquals(0, faults.count(), "what is out of range needs no call");
    assertEquals(501, master.getFilePointer());
    assertEquals(data[501], master.readByte());
    assertEquals(501, slice.getFilePointer());
    assertEquals(data[SLICE_OFFSET + 501], slice.readByte());
    master.close();
    directory.close();
  }

  private static void assertFails(
      Class<? extends Exception> type, PreadIndexInput input, Executable use) {
    Exception e = assertThrows(type, use);
    assertEquals(type, e.getClass());
    assertTrue(e.getMessage().contains(input.toString()), e.getMessage());
  }

  @Test
  void seekAndAbsoluteReadsBeyondTheEnd() {
    for (PreadIndexInput input : new PreadIndexInput[] {master, slice}) {
      for (long beyond : POSITIONS_BEYOND_END) {
        long at = input.length() + beyond;
        assertFails(EOFException.class, input, () -> input.seek(at));
        assertFails(EOFException.class, input, () -> input.readByte(at));
        assertFails(EOFException.class, input, () -> input.readShort(at));
        assertFails(EOFException.class, input, () -> input.readInt(at));
        assertFails(EOFException.class, input, () -> input.readLong(at));
        assertFails(EOFException.class, input, () -> input.readBytes(at, new byte[5], 0, 0));
        assertFails(EOFException.class, input, () -> input.readBytes(at, new byte[5], 0, 5));
        Exception e = assertThrows(EOFException.class, () -> input.readLong(at));
        assertTrue(e.getMessage().contains(": read position=" + at + ","), e.getMessage());
      }
    }
  }

  @Test
  void absoluteReadsAcrossTheEnd() {
    for (PreadIndexInput input : new PreadIndexInput[] {master, slice}) {
      long end = input.length();
      assertFails(EOFException.class, input, () -> input.readByte(end));
      assertFails(EOFException.class, input, () -> input.readShort(end - 1));
      for (int i = 0; i < 4; i++) {
        long at = end - i;
        assertFails(EOFException.class, input, () -> input.readInt(at));
        assertFails(EOFException.class, input, () -> input.readLong(at - 4));
        assertFails(EOFException.class, input, () -> input.readBytes(at, new byte[9], 1, 5));
      }
      assertFails(
          EOFException.class, input, () -> input.readBytes(1, new byte[LENGTH], 0, (int) end));
    }
  }

  @Test
  void negativePositionsAreTheCallersBug() {
    for (PreadIndexInput input : new PreadIndexInput[] {master, slice}) {
      for (long at : NEGATIVE_POSITIONS) {
        Class<IllegalArgumentException> type = IllegalArgumentException.class;
        assertFails(type, input, () -> input.seek(at));
        assertFails(type, input, () -> input.skipBytes(at));
        assertFails(type, input, () -> input.readByte(at));
        assertFails(type, input, () -> input.readShort(at));
        assertFails(type, input, () -> input.readInt(at));
        assertFails(type, input, () -> input.readLong(at));
        assertFails(type, input, () -> input.readBytes(at, new byte[5], 0, 5));
      }
    }
  }

  @Test
  void relativeReadsAndSkipsBeyondTheEnd() {
    for (PreadIndexInput input : new PreadIndexInput[] {master, slice}) {
      int left = (int) (input.length() - input.getFilePointer());
      for (long beyond : POSITIONS_BEYOND_END) {
        assertFails(EOFException.class, input, () -> input.skipBytes(left + beyond));
      }
      assertFails(EOFException.class, input, () -> input.skipBytes(Long.MAX_VALUE));
      assertFails(
          EOFException.class, input, () -> input.readBytes(new byte[left + 1], 0, left + 1));
      int n = left / 4 + 1;
      assertFails(EOFException.class, input, () -> input.readInts(new int[n], 0, n));
      assertFails(EOFException.class, input, () -> input.readFloats(new float[n], 0, n));
      assertFails(EOFException.class, input, () -> input.readLongs(new long[n], 0, n));
    }
  }

  @Test
  void rangesOfTheArrayThatIsReadInto() {
    for (PreadIndexInput input : new PreadIndexInput[] {master, slice}) {
      int[][] ranges = {{0, 11}, {5, 6}, {-1, 2}, {0, -1}, {11, 0}, {Integer.MAX_VALUE, 1}};
      for (int[] range : ranges) {
        int offset = range[0];
        int count = range[1];
        Class<IndexOutOfBoundsException> type = IndexOutOfBoundsException.class;
        assertThrows(type, () -> input.readBytes(new byte[10], offset, count));
        assertThrows(type, () -> input.readBytes(3, new byte[10], offset, count));
        assertThrows(type, () -> input.readInts(new int[10], offset, count));
        assertThrows(type, () -> input.readLongs(new long[10], offset, count));
        assertThrows(type, () -> input.readFloats(new float[10], offset, count));
      }
    }
  }

  @Test
  void slicesAndPrefetchesBeyondTheEnd() {
    for (PreadIndexInput input : new PreadIndexInput[] {master, slice}) {
      long length = input.length();
      long[][] ranges = {
        {0, length + 1},
        {1, length},
        {length, 1},
        {length + 1, 0},
        {-1, 1},
        {0, -1},
        {-1, -1},
        {Long.MAX_VALUE, 1},
        {1, Long.MAX_VALUE},
        {Long.MAX_VALUE, Long.MAX_VALUE},
        {Long.MIN_VALUE, Long.MAX_VALUE},
        {Long.MIN_VALUE, 1},
        {2, Long.MAX_VALUE - 1},
      };
      for (long[] range : ranges) {
        Class<IllegalArgumentException> type = IllegalArgumentException.class;
        assertFails(type, input, () -> input.slice("bad", range[0], range[1]));
        assertFails(type, input, () -> input.slice("bad", range[0], range[1], IOContext.READONCE));
        assertFails(type, input, () -> input.randomAccessSlice(range[0], range[1]));
        Class<IndexOutOfBoundsException> bounds = IndexOutOfBoundsException.class;
        assertFails(bounds, input, () -> input.prefetch(range[0], range[1]));
      }
    }
  }

  @Test
  void theEndItselfIsInRange() throws Exception {
    for (PreadIndexInput input : new PreadIndexInput[] {master, slice}) {
      long length = input.length();
      PreadIndexInput clone = input.clone();
      clone.seek(length);
      clone.skipBytes(0);
      clone.readBytes(new byte[0], 0, 0);
      clone.readBytes(length, new byte[3], 1, 0);
      clone.readLongs(new long[1], 1, 0);
      clone.prefetch(length, 0);
      assertEquals(length, clone.getFilePointer());
      assertFails(EOFException.class, clone, clone::readByte);
      assertFails(EOFException.class, clone, clone::readByte);
      PreadIndexInput empty = input.slice("empty", length, 0);
      assertEquals(0, empty.length());
      empty.seek(0);
      assertFails(EOFException.class, empty, empty::readByte);
      assertFails(EOFException.class, empty, () -> empty.readByte(0));
      assertFails(EOFException.class, empty, () -> empty.seek(1));
      assertEquals(0, empty.slice("in it", 0, 0).length());
    }
  }
}
