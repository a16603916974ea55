/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.warm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.FailingLog;
import dev.pread.Fixtures;
import dev.pread.cache.BlockRuns;
import dev.pread.cache.CacheFixtures.TestMemory;
import dev.pread.cache.CacheFixtures.TestSource;
import dev.pread.cache.CachedFile;
import dev.pread.cache.HotBlocks.Note;
import dev.pread.cache.SlotCache;
import dev.pread.posix.Backend;
import dev.pread.posix.Errno;
import dev.pread.posix.FaultSystemCalls;
import dev.pread.posix.FaultSystemCalls.Function;
import dev.pread.posix.OpenMode;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The list on disk: when it is written, and what happens to one that can't be used. */
@Timeout(120)
class HotListTest {

  private static final int BITS = 12;
  private static final int BLOCK = 1 << BITS;
  private static final long NO_SAVE_MILLIS = TimeUnit.DAYS.toMillis(1);

  /** In which the kernel lists the locks of files. */
  private static final Path LOCKS = Path.of("/proc/locks");

  private final Error defect = new LinkageError("by script");

  @TempDir Path folder;

  private final FaultSystemCalls faults = Fixtures.faults();
  private final Backend backend = new Backend(faults);
  private final TestSource source = new TestSource(1, 100L << BITS);
  private final Logger logger = Logger.getLogger(HotList.class.getName());
  private final ConcurrentLinkedQueue<String> logged = new ConcurrentLinkedQueue<>();

  @BeforeEach
  void listen() {
    logger.setFilter(
        said -> {
          logged.add(said.getLevel() + ": " + said.getMessage());
          return false;
        });
  }

  @AfterEach
  void nothingStaysOpen() throws IOException {
    logger.setFilter(null);
    assertEquals(0, backend.openFiles());
    assertEquals(0, Fixtures.descriptorsIn(folder));
  }

  private static SlotCache cache() {
    return new SlotCache(
        64L << BITS, BITS, new TestMemory(64 << BITS, 64 << BITS, Integer.MAX_VALUE));
  }

  private HotList open(SlotCache cache) {
    return HotList.open(folder, cache, backend, NO_SAVE_MILLIS);
  }

  private CachedFile load(SlotCache cache, int block) throws IOException {
    CachedFile file = cache.files().open("key", "/f", 100L << BITS, 7);
    assertNotNull(file.load(block, 1, source));
    return file;
  }

  private Path list() {
    return folder.resolve("hot-blocks");
  }

  private List<String> paths() throws IOException {
    return HotListFormat.decode(BLOCK, Files.readAllBytes(list())).stream()
        .map(Note::path)
        .toList();
  }

  private Set<String> files() throws IOException {
    return files(folder);
  }

  private static Set<String> files(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(file -> file.getFileName().toString()).collect(Collectors.toSet());
    }
  }

  private static byte[] someList(int version) {
    Note note = new Note("/f", 100L << BITS, 7, BlockRuns.ofBytes(new byte[] {5, 2}));
    byte[] list = HotListFormat.encode(BLOCK, List.of(note));
    list[11] = (byte) version;
    return list;
  }

  private static void await(String what, BooleanSupplier condition) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(Fixtures.TIMEOUT_SECONDS);
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() - deadline < 0, what);
      Thread.sleep(1);
    }
  }

  private String onlyLine() {
    assertEquals(1, logged.size(), logged.toString());
    return logged.peek();
  }

  // ---- there and back ----

  @Test
  void aListIsWrittenAtTheEndAndReadAtTheBeginning() throws Exception {
    SlotCache cache = cache();
    HotList list = open(cache);
    CachedFile file = load(cache, 3);
    long had = cache.counters().blocks();
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
    await("blocks", () -> next.counters().restored() == had);
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

  private long created() {
    return faults.calls(Function.OPEN).stream()
        .filter(call -> call.argument() == OpenMode.CREATE)
        .count();
  }

  @Test
  void theThreadWritesByItself() throws Exception {
    SlotCache cache = cache();
    try (HotList list = HotList.open(folder, cache, backend, 1)) {
      assertNotNull(list);
      load(cache, 3);
      await("a list", () -> Files.exists(list()));
      await("no new one", () -> !Files.exists(folder.resolve("hot-blocks.next")));
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
      assertEquals(0, cache.counters().restored());
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

  // ---- folders ----

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
    await(
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

  // ---- failures ----

  @Test
  void aFullDiskIsSaidOnceAndTheOldListStays() throws IOException {
    byte[] before = someList(1);
    Files.write(list(), before);
    faults.on(Function.PWRITE).at(1).fail(Errno.ENOSPC);
    faults.on(Function.PWRITE).at(2).fail(Errno.ENOSPC);
    SlotCache cache = cache();
    try (HotList list = open(cache)) {
      load(cache, 50);
      list.write();
      list.write();
      List<String> warnings = logged.stream().filter(line -> line.startsWith("WARNING")).toList();
      assertEquals(1, warnings.size(), logged.toString());
      Fixtures.assertNames(warnings.get(0), "ENOSPC");
      assertArrayEquals(before, Files.readAllBytes(list()));
      assertFalse(files().contains("hot-blocks.next"), "it takes no room on the full disk");
      list.write();
      assertFalse(java.util.Arrays.equals(before, Files.readAllBytes(list())));
      assertEquals(List.of("/f"), paths());
    }
    cache.close();
  }

  @Test
  void aLogThatFailsFailsNoCache() throws IOException {
    SlotCache cache = cache();
    try (FailingLog log = new FailingLog(HotList.class.getName())) {
      Files.write(list(), someList(2));
      open(cache).close();
      assertEquals(1, log.told());
      Files.write(list(), new byte[100]);
      assertNull(open(cache));
      assertEquals(2, log.told());
    }
    cache.close();
  }

  /** What is thrown where there is no memory names nothing. */
  @Test
  void whatFailsWithoutAMessageIsToldWithItsFile() throws IOException {
    Files.write(list(), someList(1));
    faults.on(Function.PREAD).always().first(HotListTest::runOutOfMemory);
    SlotCache cache = cache();
    assertNull(open(cache));
    Fixtures.assertNames(onlyLine(), folder, OutOfMemoryError.class.getName());
    faults.calm();
    faults.on(Function.PWRITE).always().first(HotListTest::runOutOfMemory);
    HotList list = open(cache);
    logged.clear();
    load(cache, 50);
    list.close();
    Fixtures.assertNames(onlyLine(), list(), OutOfMemoryError.class.getName());
    cache.close();
  }

  private static void runOutOfMemory() {
    throw new OutOfMemoryError();
  }

  @Test
  void nothingEndsTheWriting() throws Exception {
    faults
        .on(Function.PWRITE)
        .at(1)
        .first(
            () -> {
              throw defect;
            });
    faults.on(Function.PWRITE).at(2).fail(Errno.ENOSPC);
    logger.setFilter(
        said -> {
          logged.add(said.getMessage());
          throw new IllegalStateException("the log is closed");
        });
    SlotCache cache = cache();
    try (HotList list = HotList.open(folder, cache, backend, 1)) {
      assertNotNull(list);
      load(cache, 3);
      await("a list", () -> Files.exists(list()));
    }
    Fixtures.assertNames(onlyLine(), defect, "once");
    cache.close();
  }

  /**
   * A server that closes its cache has others to close, and an operator has other things to read.
   */
  @Test
  void anErrorThatStaysIsSaidOnceAndDoesNotLeave() throws IOException {
    faults
        .on(Function.PWRITE)
        .always()
        .first(
            () -> {
              throw defect;
            });
    SlotCache cache = cache();
    HotList list = open(cache);
    load(cache, 3);
    list.write();
    list.write();
    list.close();
    assertTrue(onlyLine().startsWith("WARNING: "), logged::toString);
    Fixtures.assertNames(onlyLine(), defect);
    logger.setFilter(
        said -> {
          throw new IllegalStateException("the log is closed");
        });
    SlotCache next = cache();
    HotList again = open(next);
    assertNotNull(again, "the folder was given back");
    load(next, 3);
    again.close();
    cache.close();
    next.close();
  }

  @Test
  void whatIsNotOnTheDeviceDoesNotReplaceTheList() throws IOException {
    byte[] before = someList(1);
    Files.write(list(), before);
    faults.on(Function.FDATASYNC).always().fail(Errno.EIO);
    SlotCache cache = cache();
    HotList list = open(cache);
    load(cache, 50);
    list.close();
    assertArrayEquals(before, Files.readAllBytes(list()));
    Fixtures.assertNames(onlyLine(), "EIO");
    cache.close();
  }

  @Test
  void whatAKilledProcessHasLeftIsReplaced() throws IOException {
    Files.write(folder.resolve("hot-blocks.next"), new byte[100_000]);
    SlotCache cache = cache();
    HotList list = open(cache);
    load(cache, 50);
    list.close();
    assertEquals(List.of("/f"), paths());
    assertEquals(Set.of("hot-blocks", "hot-blocks.lock"), files());
    cache.close();
  }

  @Test
  void anInterruptedThreadWritesAllTheSame() throws IOException {
    SlotCache cache = cache();
    HotList list = open(cache);
    load(cache, 50);
    Thread.currentThread().interrupt();
    list.close();
    assertTrue(Thread.interrupted());
    assertEquals(List.of("/f"), paths());
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
}
