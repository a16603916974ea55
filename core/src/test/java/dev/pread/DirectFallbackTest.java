/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.posix.Backend;
import dev.pread.posix.DirectIoUnsupportedException;
import dev.pread.posix.Errno;
import dev.pread.posix.FaultSystemCalls.Call;
import dev.pread.posix.FaultSystemCalls.Function;
import dev.pread.posix.OpenMode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.apache.lucene.store.IndexOutput;
import org.apache.lucene.store.MergeInfo;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Where there is no direct I/O, files are read and written all the same, and it is said once. */
class DirectFallbackTest extends BackendTestCase {

  private static final int LENGTH = 300_001;

  private final RuntimeException closedLog = new IllegalStateException("it is closed");

  private static final PreadConfig DIRECT_WRITES =
      PreadConfig.builder().directWriteMinSize(0).build();

  private final byte[] data = Fixtures.randomBytes(Fixtures.SEED, LENGTH);
  private final Logger logger = Logger.getLogger(DirectPreadDirectory.class.getName());
  private final LogMemory log = new LogMemory();

  @BeforeEach
  void listen() {
    logger.addHandler(log);
  }

  @AfterEach
  void stopListening() {
    logger.removeHandler(log);
  }

  private void write(DirectPreadDirectory directory, String name) throws IOException {
    try (IndexOutput output = directory.createOutput(name, Fixtures.MERGE)) {
      output.writeBytes(data, LENGTH);
    }
    assertArrayEquals(data, Files.readAllBytes(directory.getDirectory().resolve(name)));
  }

  private void read(DirectPreadDirectory directory, String name, IOContext context)
      throws IOException {
    try (IndexInput input = directory.openInput(name, context)) {
      byte[] read = new byte[LENGTH];
      input.readBytes(read, 0, LENGTH);
      assertArrayEquals(data, read);
    }
  }

  private void roundTrip(DirectPreadDirectory directory, String prefix) throws IOException {
    for (int i = 0; i < 3; i++) {
      write(directory, prefix + i);
      for (IOContext context : Fixtures.CONTEXTS) {
        read(directory, prefix + i, context);
      }
    }
    directory.sync(List.of(prefix + 0));
  }

  private void checkPageCacheIsUsed(String reason) throws IOException {
    try (BlockCache cache = Fixtures.tinyCache(8, 12)) {
      for (BlockCache with : List.of(cache, Fixtures.NO_CACHE)) {
        try (DirectPreadDirectory directory =
            Fixtures.direct(folder, DIRECT_WRITES, with, backend)) {
          assertFalse(directory.usesPageCache());
          roundTrip(directory, "f" + with.size() + "_");
          assertTrue(directory.usesPageCache());
          int advised = faults.advice().size();
          directory.sync(List.of(directory.listAll()));
          assertEquals(advised, faults.advice().size(), "what is read there stays there");
        }
      }
    }
    assertEquals(1, log.records.size(), "once for both directories");
    assertEquals(Level.WARNING, log.records.get(0).getLevel());
    String message = log.records.get(0).getMessage();
    assertTrue(message.contains(folder.toString()), message);
    assertTrue(message.contains(reason), message);
  }

  @Test
  void aFileSystemThatRefuses() throws Exception {
    faults.refuseDirect();
    checkPageCacheIsUsed("failed with EINVAL");
    assertEquals(2, directCreations(), "not tried again by either directory");
  }

  @Test
  void filesThatRefuse() throws Exception {
    faults.simulateDirect(512);
    faults.on(Function.DIRECT_ALIGNMENT).always().answer(0);
    checkPageCacheIsUsed("statx answered");
    assertEquals(6, directCreations(), "what one file refuses the next may grant");
  }

  /** Some file systems let a file be opened for direct I/O, and refuse to read it. */
  @Test
  void aFileSystemThatRefusesOnlyToRead() throws Exception {
    Files.write(folder.resolve("empty"), new byte[0]);
    Files.write(folder.resolve("there"), data);
    faults.simulateDirect(512);
    try (BlockCache cache = Fixtures.tinyCache(8, 12);
        DirectPreadDirectory directory = Fixtures.direct(folder, DIRECT_WRITES, cache, backend)) {
      directory.openInput("empty", IOContext.DEFAULT).close();
      assertFalse(directory.usesPageCache(), "an empty file tells nothing");
      faults.on(Function.PREAD).at(1).fail(Errno.EINTR);
      faults.on(Function.PREAD).at(2).fail(Errno.EINVAL);
      read(directory, "there", IOContext.DEFAULT);
      assertTrue(directory.usesPageCache());
      write(directory, "new");
      assertEquals(0, directCreations(), "a write would fail");
      faults.forget();
      directory.openInput("new", IOContext.DEFAULT).close();
      assertEquals(
          List.of(OpenMode.READ),
          faults.calls(Function.OPEN).stream().map(Call::argument).toList());
    }
    assertEquals(1, log.records.size());
    Fixtures.assertNames(log.records.get(0).getMessage(), "pread", "EINVAL", folder);
  }

  @Test
  void onceAFileHasBeenReadTheOthersAreNotTried() throws Exception {
    Files.write(folder.resolve("there"), data);
    Files.write(folder.resolve("other"), data);
    int unit = 512;
    faults.simulateDirect(unit);
    try (BlockCache cache = Fixtures.tinyCache(8, 12);
        DirectPreadDirectory directory =
            Fixtures.direct(folder, PreadConfig.DEFAULT, cache, backend)) {
      directory.openInput("there", IOContext.DEFAULT).close();
      assertEquals(1, faults.count(Function.PREAD));
      long tried = faults.calls(Function.PREAD).get(0).length();
      assertEquals(unit, tried, "the least that a device reads");
      directory.openInput("there", IOContext.DEFAULT).close();
      try (IndexInput input = directory.openInput("other", IOContext.DEFAULT)) {
        assertEquals(1, faults.count(Function.PREAD));
        faults.on(Function.PREADV).always().fail(Errno.EINVAL);
        Fixtures.assertNames(assertThrows(IOException.class, input::readByte), "EINVAL");
      }
      assertFalse(directory.usesPageCache());
    }
    assertEquals(List.of(), log.records);
  }

  /** An error on the way is no refusal. */
  @Test
  void aFirstReadThatFailsIsAnErrorAndNoReasonToFallBack() throws Exception {
    Files.write(folder.resolve("there"), data);
    faults.simulateDirect(512);
    faults.on(Function.PREAD).at(1).fail(Errno.EIO);
    try (DirectPreadDirectory directory =
        Fixtures.direct(folder, PreadConfig.DEFAULT, Fixtures.NO_CACHE, backend)) {
      Fixtures.assertNames(
          assertThrows(IOException.class, () -> directory.openInput("there", IOContext.DEFAULT)),
          "EIO",
          "there");
      assertEquals(0, backend.openFiles());
      try (IndexInput input = directory.openInput("there", IOContext.DEFAULT)) {
        assertEquals(data[0], input.readByte());
      }
      assertFalse(directory.usesPageCache());
    }
  }

  private long directCreations() {
    return faults.calls(Function.OPEN).stream()
        .filter(c -> c.argument() == OpenMode.CREATE_DIRECT)
        .count();
  }

  @Test
  void anOpenThatIsRefused() throws Exception {
    Files.write(folder.resolve("there"), data);
    faults.on(Function.OPEN).at(1).fail(Errno.EINVAL);
    faults.on(Function.OPEN).at(3).fail(Errno.EINVAL);
    try (DirectPreadDirectory directory =
        Fixtures.direct(folder, DIRECT_WRITES, Fixtures.NO_CACHE, backend)) {
      read(directory, "there", IOContext.DEFAULT);
      assertTrue(directory.usesPageCache());
      write(directory, "new");
    }
    assertEquals(
        List.of(OpenMode.READ_DIRECT, OpenMode.READ, OpenMode.CREATE_DIRECT, OpenMode.CREATE),
        faults.calls(Function.OPEN).stream().map(Call::argument).toList());
    assertEquals(1, log.records.size());
  }

  @Test
  void aDeviceThatWantsLargerBlocks() throws Exception {
    faults.simulateDirect(8192);
    try (BlockCache cache = Fixtures.tinyCache(8, 12);
        DirectPreadDirectory directory = Fixtures.direct(folder, DIRECT_WRITES, cache, backend)) {
      roundTrip(directory, "small");
      assertTrue(directory.usesPageCache());
    }
    assertEquals(1, log.records.size());
    String message = log.records.get(0).getMessage();
    Fixtures.assertNames(message, 8192, 4096, folder);
    log.records.clear();
    try (BlockCache cache = Fixtures.tinyCache(8, 13);
        DirectPreadDirectory directory = Fixtures.direct(folder, DIRECT_WRITES, cache, backend)) {
      roundTrip(directory, "fits");
      assertFalse(directory.usesPageCache());
    }
    assertEquals(List.of(), log.records);
    for (int alignment : new int[] {32 << 10, 64 << 10, 1 << 20}) {
      faults.simulateDirect(alignment);
      try (DirectPreadDirectory directory =
          Fixtures.direct(folder, DIRECT_WRITES, Fixtures.NO_CACHE, backend)) {
        roundTrip(directory, "larger" + alignment);
        assertTrue(directory.usesPageCache());
      }
    }
    assertEquals(3, log.records.size(), "each is a reason of its own");
  }

  /** A process has many directories, and few reasons for them to fall back. */
  @Test
  void eachReasonIsSaidOnceHoweverManyDirectories() throws Exception {
    List<Runnable> reasons =
        List.of(
            () -> faults.simulateDirect(8192),
            () -> faults.on(Function.DIRECT_ALIGNMENT).always().answer(0),
            faults::refuseDirect);
    try (BlockCache cache = Fixtures.tinyCache(8, 12)) {
      for (int i = 0; i < reasons.size(); i++) {
        reasons.get(i).run();
        for (int j = 0; j < 5; j++) {
          Path inner = Files.createDirectory(folder.resolve("index" + i + j));
          try (DirectPreadDirectory directory =
              Fixtures.direct(inner, DIRECT_WRITES, cache, backend)) {
            roundTrip(directory, "f");
            assertTrue(directory.usesPageCache());
          }
        }
        assertEquals(i + 1, log.records.size(), log.records.get(i)::getMessage);
        assertTrue(log.records.get(i).getMessage().contains("index" + i + "0"), "the first");
      }
    }
  }

  /** A log is somebody else's code. */
  @Test
  void aWarningThatFailsFailsNobody() throws Exception {
    Files.write(folder.resolve("there"), data);
    logger.setFilter(
        said -> {
          throw closedLog;
        });
    try (BlockCache cache = Fixtures.tinyCache(8, 12)) {
      for (Runnable reason :
          List.<Runnable>of(() -> faults.simulateDirect(8192), faults::refuseDirect)) {
        reason.run();
        // This one has not warned of anything yet.
        Backend fresh = new Backend(faults);
        try (DirectPreadDirectory directory =
            Fixtures.direct(folder, DIRECT_WRITES, cache, fresh)) {
          directory.openInput("there", IOContext.DEFAULT).close();
          directory.createOutput("new", Fixtures.MERGE).close();
          directory.deleteFile("new");
          assertTrue(directory.usesPageCache());
        }
        assertEquals(0, fresh.openFiles());
      }
    } finally {
      logger.setFilter(null);
    }
  }

  /**
   * Nobody can delete a file where a server's policy forbids it, for example, or in a folder of the
   * kernel's own files.
   */
  @Test
  void whatTheKernelLeavesAndNobodyCanDeleteIsLeftOnce() throws Exception {
    for (boolean fails : new boolean[] {false, true}) {
      faults.calm();
      faults.forget();
      faults.on(Function.OPEN).at(1).fail(Errno.EINVAL);
      if (fails) {
        logger.setFilter(
            said -> {
              throw closedLog;
            });
      }
      Backend fresh = new Backend(faults);
      try (DirectPreadDirectory directory =
          Fixtures.direct(Path.of("/proc/self"), DIRECT_WRITES, Fixtures.NO_CACHE, fresh)) {
        FileAlreadyExistsException e =
            assertThrows(
                FileAlreadyExistsException.class,
                () -> directory.createOutput("status", Fixtures.MERGE));
        assertEquals(1, e.getSuppressed().length);
        DirectIoUnsupportedException refusal =
            assertInstanceOf(DirectIoUnsupportedException.class, e.getSuppressed()[0]);
        Fixtures.assertNames(refusal.getSuppressed()[0], "status");
        assertThrows(
            FileAlreadyExistsException.class, () -> directory.createOutput("stat", Fixtures.MERGE));
        assertTrue(directory.usesPageCache());
      } finally {
        logger.setFilter(null);
      }
      assertEquals(1, directCreations(), "each would leave another");
    }
    assertEquals(1, log.records.size());
  }

  /** The next name may be free, and the file there may grant what this one did not. */
  @Test
  void aNameThatSomebodyElseTookIsNoReasonToFallBack() throws Exception {
    faults.simulateDirect(512);
    faults.on(Function.OPEN).at(1).instead(() -> createAndRefuse("p_s_0.tmp"));
    try (DirectPreadDirectory directory =
        Fixtures.direct(folder, DIRECT_WRITES, Fixtures.NO_CACHE, backend)) {
      directory.createTempOutput("p", "s", Fixtures.MERGE).close();
      assertEquals(List.of("p_s_0.tmp", "p_s_1.tmp"), List.of(directory.listAll()));
      assertFalse(directory.usesPageCache());
    }
    assertEquals(2, directCreations());
    assertEquals(List.of(), log.records);
  }

  private long createAndRefuse(String name) {
    try {
      // One that is not empty stays, since it can't be the kernel's.
      Files.write(folder.resolve(name), new byte[1]);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return -Errno.EINVAL;
  }

  /** A device reads a page at least, which should not be read again for the next bytes of it. */
  @Test
  void aScanWithoutACacheReadsEachPageOnce() throws Exception {
    int page = 4096;
    faults.simulateDirect(page);
    Files.write(folder.resolve("f"), data);
    try (DirectPreadDirectory directory =
            Fixtures.direct(folder, PreadConfig.DEFAULT, Fixtures.NO_CACHE, backend);
        IndexInput input = directory.openInput("f", IOContext.DEFAULT)) {
      faults.forget();
      for (int i = 0; i < LENGTH; i++) {
        assertEquals(data[i], input.readByte());
      }
      assertEquals((LENGTH + page - 1) / page, faults.count(Function.PREAD));
      IndexInput slice = input.slice("a part", 100, LENGTH - 100);
      faults.forget();
      for (int i = 100; i < LENGTH; i++) {
        assertEquals(data[i], slice.readByte());
      }
      assertEquals((LENGTH + page - 1) / page, faults.count(Function.PREAD));
    }
  }

  /**
   * Later versions of Lucene make such contexts, where a merge or a flush does not tell its size.
   * That of {@code addIndexes} has a size of -1.
   */
  @Test
  void aContextThatTellsNoSizeIsOfNoSize() throws Exception {
    faults.simulateDirect(512);
    for (long least : new long[] {1, 0}) {
      PreadConfig config = PreadConfig.builder().directWriteMinSize(least).build();
      try (DirectPreadDirectory directory =
          Fixtures.direct(folder, config, Fixtures.NO_CACHE, backend)) {
        List<IOContext> contexts =
            List.of(
                LuceneCalls.sizeless(IOContext.Context.DEFAULT),
                LuceneCalls.sizeless(IOContext.Context.MERGE),
                LuceneCalls.sizeless(IOContext.Context.FLUSH),
                LuceneCalls.merge(new MergeInfo(10, -1, false, -1)));
        for (int i = 0; i < contexts.size(); i++) {
          faults.forget();
          String name = "f" + i + least;
          try (IndexOutput output = directory.createOutput(name, contexts.get(i))) {
            output.writeBytes(data, LENGTH);
          }
          assertArrayEquals(data, Files.readAllBytes(folder.resolve(name)));
          assertEquals(least == 0 && i > 0 ? 1 : 0, directCreations(), name);
          try (IndexInput input = directory.openInput(name, contexts.get(i))) {
            assertEquals(data[0], input.readByte());
          }
        }
        assertFalse(directory.usesPageCache());
      }
    }
  }

  @Test
  void smallWritesAreNoFallback() throws Exception {
    faults.simulateDirect(512);
    try (DirectPreadDirectory directory =
        Fixtures.direct(folder, PreadConfig.DEFAULT, Fixtures.NO_CACHE, backend)) {
      for (IOContext context : List.of(IOContext.DEFAULT, Fixtures.MERGE, Fixtures.FLUSH)) {
        try (IndexOutput output =
            directory.createOutput("f" + LuceneCalls.kind(context), context)) {
          output.writeInt(1);
        }
      }
      assertFalse(directory.usesPageCache());
    }
    assertTrue(faults.calls(Function.OPEN).stream().allMatch(c -> c.argument() == OpenMode.CREATE));
    assertEquals(List.of(), log.records);
  }

  /** The kernel refuses direct I/O on a folder in the same words as on a file. */
  @Test
  void aFolderByNameIsAnErrorAndNoReasonToFallBack() throws Exception {
    Files.createDirectory(folder.resolve("d"));
    Files.write(folder.resolve("there"), data);
    for (boolean refused : new boolean[] {false, true}) {
      faults.calm();
      faults.forget();
      faults.simulateDirect(512);
      if (refused) {
        faults.on(Function.OPEN).at(1).fail(Errno.EINVAL);
      }
      try (DirectPreadDirectory directory =
          Fixtures.direct(folder, DIRECT_WRITES, Fixtures.NO_CACHE, backend)) {
        FileSystemException e =
            assertThrows(
                FileSystemException.class, () -> directory.openInput("d", IOContext.DEFAULT));
        Fixtures.assertNames(e, "EISDIR");
        assertThrows(
            FileAlreadyExistsException.class, () -> directory.createOutput("d", Fixtures.MERGE));
        assertFalse(directory.usesPageCache());
        roundTrip(directory, "f" + refused);
        assertFalse(directory.usesPageCache());
      }
      assertEquals(4, directCreations(), "the folder and three files");
    }
    assertEquals(List.of(), log.records);
  }

  @Test
  void oneFileThatRefusesFallsBackAlone() throws Exception {
    Files.write(folder.resolve("odd"), data);
    faults.simulateDirect(512);
    faults.on(Function.DIRECT_ALIGNMENT).at(1).answer(0);
    faults.on(Function.DIRECT_ALIGNMENT).at(2).answer(0);
    try (DirectPreadDirectory directory =
        Fixtures.direct(folder, DIRECT_WRITES, Fixtures.NO_CACHE, backend)) {
      directory.openInput("odd", IOContext.DEFAULT).close();
      directory.createOutput("odder", Fixtures.MERGE).close();
      assertTrue(directory.usesPageCache());
      assertEquals(
          List.of(OpenMode.READ_DIRECT, OpenMode.READ, OpenMode.CREATE_DIRECT, OpenMode.CREATE),
          faults.calls(Function.OPEN).stream().map(Call::argument).toList());
      faults.forget();
      faults.calm();
      roundTrip(directory, "f");
    }
    assertEquals(3, directCreations());
    assertTrue(
        faults.calls(Function.OPEN).stream()
            .map(c -> (OpenMode) c.argument())
            .allMatch(mode -> mode.isDirect() || mode == OpenMode.WRITE),
        faults.calls()::toString);
  }

  /** A name that the file system can't have, for example. */
  @Test
  void whatCanNotBeOpenedOtherwiseEitherIsNoReasonToFallBack() throws Exception {
    faults.on(Function.OPEN).always().fail(Errno.EINVAL);
    try (DirectPreadDirectory directory =
        Fixtures.direct(folder, DIRECT_WRITES, Fixtures.NO_CACHE, backend)) {
      for (int i = 0; i < 2; i++) {
        assertThrows(FileSystemException.class, () -> directory.openInput("f", IOContext.DEFAULT));
        assertThrows(FileSystemException.class, () -> directory.createOutput("f", Fixtures.MERGE));
      }
      assertFalse(directory.usesPageCache());
    }
    assertEquals(2, directCreations(), "not remembered");
    assertEquals(List.of(), log.records);
  }
}
