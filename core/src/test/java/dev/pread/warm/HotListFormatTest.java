/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.warm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.Fixtures;
import dev.pread.cache.BlockRuns;
import dev.pread.cache.HotBlocks.Note;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

/** Lists as bytes, and bytes that are no lists. */
class HotListFormatTest {

  private static final int BLOCK = 16 << 10;

  private static final List<Note> NOTES =
      List.of(
          note("/data/index/_0.cfs", 12345, 1_700_000_000_123_456_789L, 0, 5, 2, 1),
          note("/data/\u00e4\u65e5\ud83d\ude00/_1.doc", 1L << 40, -1, 0, 1),
          note("", 0, 0));

  private static Note note(String path, long length, long modifiedNanos, int... runs) {
    byte[] bytes = new byte[runs.length];
    for (int i = 0; i < runs.length; i++) {
      bytes[i] = (byte) runs[i];
    }
    return new Note(path, length, modifiedNanos, BlockRuns.ofBytes(bytes));
  }

  private static void same(List<Note> expected, List<Note> actual) {
    assertEquals(expected.size(), actual.size());
    for (int i = 0; i < expected.size(); i++) {
      assertEquals(expected.get(i).path(), actual.get(i).path());
      assertEquals(expected.get(i).length(), actual.get(i).length());
      assertEquals(expected.get(i).modifiedNanos(), actual.get(i).modifiedNanos());
      assertArrayEquals(expected.get(i).runs().toBytes(), actual.get(i).runs().toBytes());
    }
  }

  private static String refusal(byte[] bytes) {
    return assertThrows(IOException.class, () -> HotListFormat.decode(BLOCK, bytes)).getMessage();
  }

  @Test
  void whatIsWrittenIsRead() throws IOException {
    same(NOTES, HotListFormat.decode(BLOCK, HotListFormat.encode(BLOCK, NOTES)));
    same(List.of(), HotListFormat.decode(BLOCK, HotListFormat.encode(BLOCK, List.of())));
    assertTrue(HotListFormat.isList(HotListFormat.encode(BLOCK, List.of())));
  }

  /** The bytes are a promise to the next version. */
  @Test
  void theBytesAreThese() {
    byte[] bytes = HotListFormat.encode(4096, List.of(note("/f", 9000, 7, 0, 3)));
    byte[] expected = {
      'p', 'r', 'e', 'a', 'd', 'H', 'O', 'T', 0, 0, 0, 1, 0, 0, 16, 0, //
      0, 2, '/', 'f', 0, 0, 0, 0, 0, 0, 35, 40, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 2, 0, 3
    };
    assertArrayEquals(expected, Arrays.copyOf(bytes, expected.length));
    assertEquals(expected.length + Integer.BYTES, bytes.length);
  }

  @Test
  void eachBitThatIsWrongIsNoticed() {
    byte[] list = HotListFormat.encode(BLOCK, NOTES);
    for (int i = 0; i < list.length; i++) {
      for (int bit = 1; bit < 256; bit <<= 1) {
        byte[] wrong = list.clone();
        wrong[i] ^= (byte) bit;
        assertFalse(refusal(wrong).isEmpty(), "byte " + i);
        assertEquals(i >= Long.BYTES, HotListFormat.isList(wrong));
      }
    }
  }

  /** Nothing is allocated for a length before it is known to be true. */
  @Test
  void aNoteIsNoLongerThanItsList() {
    byte[] list = HotListFormat.encode(BLOCK, List.of(note("/f", 9000, 7, 0, 3)));
    int end = list.length - Integer.BYTES;
    for (int length : new int[] {-1, 3, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
      ByteBuffer wrong = ByteBuffer.wrap(list.clone());
      wrong.putInt(end - 2 - Integer.BYTES, length);
      CRC32C crc = new CRC32C();
      crc.update(wrong.array(), 0, end);
      wrong.putInt(end, (int) crc.getValue());
      assertEquals("a note in it is longer than the list", refusal(wrong.array()));
    }
  }

  @Test
  void aListThatIsCutOffOrTooLongIsNone() {
    byte[] list = HotListFormat.encode(BLOCK, NOTES);
    for (int length = 0; length < list.length + 10; length++) {
      if (length != list.length) {
        byte[] wrong = Arrays.copyOf(list, length);
        assertFalse(refusal(wrong).isEmpty(), "length " + length);
      }
    }
  }

  @Test
  void theMessageSaysWhatIsWrong() {
    assertEquals("it is no list of hot blocks, or not all of one", refusal(new byte[1000]));
    assertEquals(
        "it is no list of hot blocks, or not all of one",
        refusal(Fixtures.randomBytes(Fixtures.SEED, 5000)));
    byte[] list = HotListFormat.encode(BLOCK, NOTES);
    list[list.length - 1]++;
    assertEquals("its checksum is wrong", refusal(list));
    list[11] = 2;
    assertEquals("it has version 2, and this is version 1", refusal(list));
    assertEquals(
        "its blocks have 4096 bytes, and those of the cache 16384",
        refusal(HotListFormat.encode(4096, NOTES)));
  }

  @Test
  void aListIsNotLongerThanItMayBe() throws IOException {
    List<Note> many = new ArrayList<>();
    Note half = new Note("/half", 1, 1, BlockRuns.ofBytes(new byte[HotListFormat.MAX_BYTES / 2]));
    many.add(half);
    many.add(half);
    many.addAll(NOTES);
    byte[] list = HotListFormat.encode(BLOCK, many);
    assertTrue(list.length <= HotListFormat.MAX_BYTES);
    List<Note> read = HotListFormat.decode(BLOCK, list);
    assertEquals(1 + NOTES.size(), read.size(), "what still fits is in it");
    List<Note> longPath = List.of(note("/" + "\u65e5".repeat(30_000), 1, 1), NOTES.get(0));
    same(NOTES.subList(0, 1), HotListFormat.decode(BLOCK, HotListFormat.encode(BLOCK, longPath)));
  }

  @Test
  void listsAreToldApart() {
    byte[] one = HotListFormat.encode(BLOCK, NOTES);
    byte[] other = HotListFormat.encode(BLOCK, NOTES.subList(0, 2));
    assertEquals(
        HotListFormat.fingerprint(one),
        HotListFormat.fingerprint(HotListFormat.encode(BLOCK, NOTES)));
    assertNotEquals(HotListFormat.fingerprint(one), HotListFormat.fingerprint(other));
    assertNotEquals(0, HotListFormat.fingerprint(HotListFormat.encode(BLOCK, List.of())));
  }
}
