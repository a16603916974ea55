/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.warm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.Fixtures;
import dev.pread.cache.BlockRuns;
import dev.pread.cache.CachedFile;
import dev.pread.cache.Counter;
import dev.pread.cache.HotBlocks.Note;
import dev.pread.cache.SlotCache;
import dev.pread.posix.Errno;
import dev.pread.posix.FaultSystemCalls.Function;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** When the list on disk is written, and what happens to one that can't be used. */
class HotListTest extends HotListTestCase {

  // ---- there and back ----

  @Test
  void aListIsWrittenAtTheEndAndReadAtTheBeginning() throws Exception {
    SlotCache cache = cache();
    HotList list = open(cache);
    CachedFile file = load(cache, 3);
    long had = cache.counters().sum(Counter.BLOCKS);
    // A server closes its files first.
    file.close();
    list.close();
    cache.close();
    assertEquals(List.of("/f"), paths());
    assertEquals(Set.of("hot-blocks", "hot-blocks.lock"), files());

    SlotCache next = cache();
    HotList again = open(next);
    CachedFile reopened = next.files().open("key", "/f", 100L << BITS, 7);
    reopened.restoreLater(source);
    Fixtures.await("blocks", () -> next.counters().sum(Counter.BLOCKS_RESTORED) == had);
    again.close();
    next.close();
    assertEquals(List.of("/f"), paths(), "files that are still open are in it, too");
    assertTrue(logged.isEmpty(), logged::toString);
  }

  @Test
  void aListIsWrittenNowAndThenIfItHasChanged() throws Exception {
    SlotCache cache = cache();
    try (HotList list = open(cache)) {
      CachedFile file = load(cache, 3);
      list.write();
      assertEquals(List.of("/f"), paths());
      list.write();
      assertEquals(1, created(), "there is nothing new");
      assertNotNull(file.load(90, 1, source));
      list.write();
      assertEquals(2, created());
    }
    assertEquals(2, created());
    cache.close();
  }

  @Test
  void theThreadWritesByItself() throws Exception {
    SlotCache cache = cache();
    try (HotList list = HotList.open(folder, cache, backend, 1)) {
      assertNotNull(list);
      load(cache, 3);
      Fixtures.await("a list", () -> Files.exists(list()));
      Fixtures.await("no new one", () -> !Files.exists(folder.resolve("hot-blocks.next")));
    }
    assertEquals(List.of("/f"), paths());
    cache.close();
  }

  @Test
  void aListThatNobodyOpensAFileOfStays() throws IOException {
    byte[] before = someList(1);
    Files.write(list(), before);
    SlotCache cache = cache();
    open(cache).close();
    assertArrayEquals(before, Files.readAllBytes(list()));
    assertEquals(0, created());
    cache.close();
  }

  @Test
  void aListOfManyBuffersIsReadAsItWasWritten() throws IOException {
    SlotCache cache = cache();
    HotList list = open(cache);
    CachedFile file = cache.files().open("k", "/" + "x".repeat(3000), 100L << BITS, 7);
    assertNotNull(file.load(0, 1, source));
    byte[] runs = Fixtures.randomBytes(Fixtures.SEED, 200_000);
    Note note = new Note("/large", 1, 1, BlockRuns.ofBytes(runs));
    Files.write(list(), HotListFormat.encode(BLOCK, List.of(note)));
    list.close();
    HotList again = open(cache);
    again.close();
    assertEquals(1, paths().size());
    Files.write(list(), HotListFormat.encode(BLOCK, List.of(note)));
    SlotCache next = cache();
    HotList third = open(next);
    load(next, 3);
    third.close();
    List<Note> notes = HotListFormat.decode(BLOCK, Files.readAllBytes(list()));
    assertEquals(List.of("/large", "/f"), notes.stream().map(Note::path).toList());
    assertArrayEquals(runs, notes.get(0).runs().toBytes());
    cache.close();
    next.close();
  }

  // ---- lists that can't be used ----

  @Test
  void aListOfAnotherVersionOrOtherBlocksOrThatIsTornIsReplaced() throws IOException {
    byte[] torn = java.util.Arrays.copyOf(someList(1), 30);
    byte[] others = HotListFormat.encode(2 * BLOCK, List.of());
    for (byte[] wrong : List.of(someList(2), torn, others)) {
      Files.write(list(), wrong);
      logged.clear();
      SlotCache cache = cache();
      HotList list = open(cache);
      Fixtures.assertNames(onlyLine(), "WARNING", list(), "cold");
      CachedFile file = load(cache, 3);
      assertEquals(0, cache.counters().sum(Counter.BLOCKS_RESTORED));
      list.close();
      assertEquals(List.of("/f"), paths());
      assertEquals(1, logged.size());
      file.close();
      cache.close();
    }
  }

  @Test
  void anEmptyListIsNone() throws IOException {
    Files.createFile(list());
    SlotCache cache = cache();
    open(cache).close();
    assertEquals(List.of(), paths());
    assertTrue(logged.isEmpty(), logged::toString);
    cache.close();
  }

  @Test
  void aFileOfSomebodyElsesStaysAsItIs() throws IOException {
    byte[] foreign = Fixtures.randomBytes(Fixtures.SEED, 10_000);
    Files.write(list(), foreign);
    SlotCache cache = cache();
    assertNull(open(cache));
    Fixtures.assertNames(onlyLine(), list());
    load(cache, 3).close();
    cache.close();
    assertArrayEquals(foreign, Files.readAllBytes(list()));
  }

  @Test
  void aListThatCanNotBeReadIsSaidOnce() throws IOException {
    Files.write(list(), someList(1));
    faults.on(Function.PREAD).always().fail(Errno.EIO);
    SlotCache cache = cache();
    assertNull(open(cache));
    Fixtures.assertNames(onlyLine(), "EIO");
    assertTrue(onlyLine().contains(list().toString()), logged::toString);
    cache.close();
  }
}
