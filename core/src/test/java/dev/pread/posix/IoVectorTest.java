/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.Fixtures;
import java.nio.ByteBuffer;
import java.nio.ReadOnlyBufferException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The list of pieces: what it takes, and that the backend's calls see what it says. */
class IoVectorTest {

  @TempDir Path folder;

  private final SystemCalls posix = Fixtures.backend().calls();
  private final ByteBuffer memory = posix.map(1000);

  @Test
  void countsPiecesAndBytes() {
    IoVector vector = posix.newVector(3);
    assertEquals(3, vector.capacity());
    assertEquals("IoVector(size=0, length=0)", vector.toString());
    vector.add(memory, 10, 100);
    vector.add(memory, 990, 10);
    vector.add(memory, 500, 0);
    assertEquals("IoVector(size=2, length=110)", vector.toString(), "nothing is no piece");
    vector.skip(0);
    vector.skip(30);
    assertEquals("IoVector(size=2, length=80)", vector.toString());
    assertEquals(40, vector.offset(vector.first()));
    vector.skip(70);
    assertEquals("IoVector(size=1, length=10)", vector.toString());
    vector.skip(10);
    assertEquals("IoVector(size=0, length=0)", vector.toString());
    assertThrows(IndexOutOfBoundsException.class, () -> vector.skip(1));
  }

  @Test
  void neighboursBecomeOnePiece() {
    IoVector vector = posix.newVector(2);
    vector.add(memory, 100, 10);
    vector.add(memory, 110, 20);
    vector.add(memory.duplicate(), 130, 5);
    assertEquals("IoVector(size=2, length=35)", vector.toString(), "equal is not the same");
    vector.skip(10);
    assertEquals("IoVector(size=2, length=25)", vector.toString());
    vector.skip(20);
    vector.skip(5);
    vector.add(memory, 135, 5);
    vector.add(memory, 140, 5);
    vector.add(memory, 150, 5);
    vector.add(memory, 155, 5);
    assertEquals("IoVector(size=2, length=20)", vector.toString(), "full, but for neighbours");
    assertEquals(10, vector.length(vector.first()));
  }

  @Test
  void isFullAfterItsCapacityUntilItIsEmptyAgain() {
    IoVector vector = posix.newVector(2);
    vector.add(memory, 0, 1);
    vector.add(memory, 0, 1);
    assertThrows(IllegalStateException.class, () -> vector.add(memory, 0, 1));
    vector.skip(1);
    assertThrows(IllegalStateException.class, () -> vector.add(memory, 0, 1));
    vector.skip(1);
    vector.add(memory, 0, 1);
    vector.add(memory, 0, 1);
    vector.clear();
    vector.add(memory, 0, 1);
    assertEquals(1, vector.size());
  }

  @Test
  void refusesWhatTheKernelCouldNotWriteTo() {
    IoVector vector = posix.newVector(64);
    assertThrows(IllegalArgumentException.class, () -> vector.add(ByteBuffer.allocate(8), 0, 8));
    assertThrows(ReadOnlyBufferException.class, () -> vector.add(memory.asReadOnlyBuffer(), 0, 8));
    assertThrows(IndexOutOfBoundsException.class, () -> vector.add(memory, 0, 1001));
    assertThrows(IndexOutOfBoundsException.class, () -> vector.add(memory, -1, 2));
    assertThrows(IndexOutOfBoundsException.class, () -> vector.add(memory, 1, -1));
    ByteBuffer limited = memory.duplicate().limit(10);
    assertThrows(IndexOutOfBoundsException.class, () -> vector.add(limited, 0, 11));
    assertEquals(0, vector.size());
    ByteBuffer large = posix.map(64 << 20);
    for (int i = 0; i < 31; i++) {
      vector.add(large, 0, large.capacity());
    }
    IllegalArgumentException e =
        assertThrows(IllegalArgumentException.class, () -> vector.add(large, 0, large.capacity()));
    assertTrue(e.getMessage().contains("GiB"), e.getMessage());
    assertThrows(IllegalArgumentException.class, () -> posix.newVector(0));
    assertThrows(IllegalArgumentException.class, () -> posix.newVector(1025));
    assertEquals(1024, posix.newVector(1024).capacity());
  }

  @Test
  void keepsMemoryNoLongerThanItsPieces() {
    IoVector vector = posix.newVector(3);
    for (int i = 0; i < 3; i++) {
      vector.add(memory, 2 * i, 1);
    }
    vector.skip(1);
    assertNull(vector.memory(0));
    assertSame(memory, vector.memory(1));
    vector.clear();
    for (int i = 0; i < 3; i++) {
      assertNull(vector.memory(i));
    }
  }

  @Test
  void callsSeeWhatItSays() throws Exception {
    byte[] bytes = Fixtures.randomBytes(Fixtures.SEED, 20_000);
    int fd = posix.open(Files.write(folder.resolve("f"), bytes), OpenMode.READ);
    Random random = new Random(Fixtures.SEED);
    ByteBuffer[] memories = {
      posix.map(4000),
      // An address other than its root's, and a position that must not count.
      posix.map(5000).slice(500, 4000).position(77),
      posix.allocate(4000, 8).bytes()
    };
    IoVector vector = posix.newVector(20);
    for (int round = 0; round < 500; round++) {
      byte[][] model = {new byte[4000], new byte[4000], new byte[4000]};
      for (ByteBuffer m : memories) {
        m.put(0, new byte[4000]);
      }
      vector.clear();
      int[][] pieces = new int[1 + random.nextInt(20)][];
      // Pieces of their own ranges, so that their order does not matter for the model.
      for (int i = 0; i < pieces.length; i++) {
        int length = 1 + random.nextInt(190);
        pieces[i] = new int[] {random.nextInt(3), i * 200 + random.nextInt(10), length};
        vector.add(memories[pieces[i][0]], pieces[i][1], length);
      }
      int skipped = random.nextInt(vector.length());
      for (int left = skipped; left > 0; ) {
        int n = 1 + random.nextInt(left);
        vector.skip(n);
        left -= n;
      }
      int position = random.nextInt(10_000);
      int expected = vector.length();
      assertEquals(expected, posix.preadv(fd, vector, position));
      int total = 0;
      for (int[] piece : pieces) {
        for (int i = 0; i < piece[2]; i++, total++) {
          if (total >= skipped) {
            model[piece[0]][piece[1] + i] = bytes[position + total - skipped];
          }
        }
      }
      for (int m = 0; m < 3; m++) {
        byte[] seen = new byte[4000];
        memories[m].get(0, seen);
        assertArrayEquals(model[m], seen, "round " + round + " " + Arrays.deepToString(pieces));
      }
    }
    posix.close(fd);
  }

  @Test
  void thePoolGivesOutEmptyOnesAndTakesThemBackEmpty() {
    VectorPool pool = new VectorPool(posix);
    IoVector first = pool.take();
    assertEquals(64, first.capacity());
    first.add(memory, 0, 10);
    pool.give(first);
    assertNull(first.memory(0), "a vector in the pool keeps nobody's memory");
    assertSame(first, pool.take());
    assertEquals(0, first.size());
    assertEquals(0, pool.take().size());
  }
}
