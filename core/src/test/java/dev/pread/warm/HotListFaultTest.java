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
import dev.pread.cache.SlotCache;
import dev.pread.posix.Errno;
import dev.pread.posix.FaultSystemCalls.Function;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Lists that can't be written or read, logs that fail, and processes that end meanwhile. */
class HotListFaultTest extends HotListTestCase {

  private final Error defect = new LinkageError("by script");

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
    faults.on(Function.PREAD).always().first(HotListFaultTest::runOutOfMemory);
    SlotCache cache = cache();
    assertNull(open(cache));
    Fixtures.assertNames(onlyLine(), folder, OutOfMemoryError.class.getName());
    faults.calm();
    faults.on(Function.PWRITE).always().first(HotListFaultTest::runOutOfMemory);
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
      Fixtures.await("a list", () -> Files.exists(list()));
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
}
