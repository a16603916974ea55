/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.warm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.Fixtures;
import dev.pread.cache.SlotCache;
import dev.pread.posix.FaultSystemCalls.Function;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** Whose folder it is that a list lies in, and which one. */
class HotListFolderTest extends HotListTestCase {

  /** In which the kernel lists the locks of files. */
  private static final Path LOCKS = Path.of("/proc/locks");

  @Test
  void theFolderIsMade() throws IOException {
    SlotCache cache = cache();
    Path deep = folder.resolve("a/b");
    HotList.open(deep, cache, backend, NO_SAVE_MILLIS).close();
    assertTrue(Files.exists(deep.resolve("hot-blocks")));
    cache.close();
  }

  @Test
  void aFolderThatIsNoneIsSaidOnce() throws IOException {
    Path file = Files.createFile(folder.resolve("file"));
    SlotCache cache = cache();
    assertNull(HotList.open(file, cache, backend, NO_SAVE_MILLIS));
    Fixtures.assertNames(onlyLine(), "WARNING", file, "cold");
    load(cache, 1).close();
    cache.close();
  }

  @Test
  void aSecondCacheLeavesTheFolderAlone() throws IOException {
    SlotCache first = cache();
    SlotCache second = cache();
    HotList list = open(first);
    load(first, 3);
    assertNull(HotList.open(folder.resolve("."), second, backend, NO_SAVE_MILLIS));
    Fixtures.assertNames(onlyLine(), HotListFile.THIS_PROCESS);
    list.close();
    assertEquals(List.of("/f"), paths());
    list.close();
    // Now it is free.
    HotList next = open(second);
    next.close();
    // A second close must not take away what somebody else has by now.
    HotList last = open(second);
    next.close();
    list.close();
    logged.clear();
    assertNull(open(first));
    assertEquals(1, logged.size());
    last.close();
    first.close();
    second.close();
  }

  /**
   * Another class loader's cache is known to the JDK alone. The kernel ends a lock when its file is
   * closed by anybody in the process.
   */
  @Test
  void aCacheOfAnotherClassLoaderKeepsItsLock() throws Exception {
    Assumptions.assumeTrue(Files.isReadable(LOCKS), "nothing tells who has a lock");
    Path file = Files.createFile(folder.resolve("hot-blocks.lock"));
    SlotCache cache = cache();
    try (FileChannel others = FileChannel.open(file, StandardOpenOption.WRITE)) {
      assertNotNull(others.lock());
      for (int i = 0; i < 3; i++) {
        logged.clear();
        assertNull(open(cache));
        Fixtures.assertNames(onlyLine(), folder, HotListFile.THIS_PROCESS);
        assertTrue(isLocked(file));
      }
      assertEquals(2, Fixtures.descriptorsIn(folder), "one is kept open");
    }
    HotList list = open(cache);
    assertNotNull(list, logged::toString);
    assertTrue(isLocked(file));
    list.close();
    cache.close();
  }

  /** Returns whether the kernel says that somebody has a lock of a file. */
  private static boolean isLocked(Path file) throws IOException {
    return Files.readString(LOCKS).contains(":" + Files.getAttribute(file, "unix:ino") + " ");
  }

  /** A deleted folder's number is free for the next one. That of a file that is open is not. */
  @Test
  void aFolderIsTakenAsLongAsItsLockIs() throws IOException {
    Path first = folder.resolve("first");
    SlotCache cache = cache();
    SlotCache second = cache();
    try (HotList list = HotList.open(first, cache, backend, NO_SAVE_MILLIS)) {
      assertNotNull(list);
      Path another = Files.createDirectory(folder.resolve("another"));
      Files.createLink(another.resolve("hot-blocks.lock"), first.resolve("hot-blocks.lock"));
      assertNull(HotList.open(another, second, backend, NO_SAVE_MILLIS));
      Fixtures.assertNames(onlyLine(), another, HotListFile.THIS_PROCESS);
    }
    cache.close();
    second.close();
  }

  @Test
  void aFolderThatWasMadeAnewIsAnotherOne() throws IOException {
    SlotCache cache = cache();
    Path named = folder.resolve("named");
    HotList list = HotList.open(named, cache, backend, NO_SAVE_MILLIS);
    load(cache, 3);
    Files.delete(named.resolve("hot-blocks.lock"));
    Files.delete(named);
    SlotCache second = cache();
    HotList next = HotList.open(named, second, backend, NO_SAVE_MILLIS);
    assertNotNull(next, logged::toString);
    list.close();
    Fixtures.assertNames(onlyLine(), "WARNING", named, "hot-blocks.lock", "once");
    assertFalse(Files.exists(named.resolve("hot-blocks")), "it is of the second one");
    // Nor does its end free what it has not.
    assertNull(HotList.open(named, cache, backend, NO_SAVE_MILLIS));
    next.close();
    assertTrue(Files.exists(named.resolve("hot-blocks")));
    cache.close();
    second.close();
  }

  @Test
  void aLinkThatLeadsElsewhereByNowIsSaidOnce() throws IOException {
    Path locked = Files.createDirectory(folder.resolve("locked"));
    Path other = Files.createDirectory(folder.resolve("other"));
    Path link = Files.createSymbolicLink(folder.resolve("link"), locked);
    SlotCache cache = cache();
    SlotCache second = cache();
    try (HotList list = HotList.open(link, cache, backend, NO_SAVE_MILLIS);
        HotList others = HotList.open(other, second, backend, NO_SAVE_MILLIS)) {
      assertNotNull(others);
      load(cache, 3);
      Files.delete(link);
      list.write();
      Files.createSymbolicLink(link, other);
      list.write();
      assertEquals(Set.of("hot-blocks.lock"), files(other));
      Fixtures.assertNames(onlyLine(), "WARNING", link, "hot-blocks.lock", "once");
      assertEquals(0, created());
      Files.delete(link);
      Files.createSymbolicLink(link, locked);
      list.write();
      assertEquals(Set.of("hot-blocks", "hot-blocks.lock"), files(locked));
    }
    cache.close();
    second.close();
  }

  /** A server's policy may know the link alone, and not where it leads. */
  @Test
  void filesGoByTheNameThatTheFolderWasGivenBy() throws IOException {
    Path target = Files.createDirectory(folder.resolve("target"));
    Path link = Files.createSymbolicLink(folder.resolve("link"), target);
    SlotCache cache = cache();
    HotList list = HotList.open(link, cache, backend, NO_SAVE_MILLIS);
    load(cache, 3);
    SlotCache second = cache();
    assertNull(HotList.open(target, second, backend, NO_SAVE_MILLIS));
    Fixtures.assertNames(onlyLine(), target, HotListFile.THIS_PROCESS);
    list.close();
    assertEquals(2, faults.count(Function.OPEN));
    assertTrue(
        faults.calls(Function.OPEN).stream().allMatch(call -> call.path().startsWith(link)),
        faults.calls()::toString);
    assertTrue(Files.exists(target.resolve("hot-blocks")));
    cache.close();
    second.close();
  }

  @Test
  void aCacheThatIsForgottenGivesTheFolderBack() throws Exception {
    useAndForget();
    SlotCache cache = cache();
    HotList[] list = new HotList[1];
    Fixtures.await(
        "the folder",
        () -> {
          System.gc();
          list[0] = open(cache);
          return list[0] != null;
        });
    list[0].close();
    cache.close();
  }

  private void useAndForget() throws IOException {
    SlotCache cache = cache();
    HotList list = HotList.open(folder, cache, backend, 1);
    assertNotNull(list);
    load(cache, 3);
  }
}
