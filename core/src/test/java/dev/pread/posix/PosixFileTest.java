/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.BackendTestCase;
import dev.pread.Fixtures;
import dev.pread.posix.FaultSystemCalls.Function;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** The counted file: loops, errors, and the one close. */
class PosixFileTest extends BackendTestCase {

  private static final int LENGTH = 1000;

  private final NativeBuffer buffer = faults.allocate(4096, 8);
  private final byte[] content = Fixtures.randomBytes(Fixtures.SEED, LENGTH);
  private Path path;

  @BeforeEach
  void write() throws Exception {
    path = Files.write(folder.resolve("file"), content);
  }

  @AfterEach
  void close() throws Exception {
    assertEquals(
        faults.calls(Function.OPEN).stream().filter(c -> c.result() >= 0).count(),
        faults.count(Function.CLOSE));
  }

  @Test
  void knowsWhatItOpened() throws Exception {
    try (PosixFile file = backend.open(path, OpenMode.READ)) {
      assertEquals(LENGTH, file.length());
      assertEquals(path, file.path());
      assertTrue(file.isOpen());
      assertEquals(1, backend.openFiles());
      assertTrue(file.toString().contains(path.toString()), file.toString());
    }
  }

  @Test
  void readsFullyThroughInterruptsAndShortCounts() throws Exception {
    faults.on(Function.PREAD).every(3).fail(Errno.EINTR);
    faults.on(Function.PREAD).always().transferAtMost(7);
    try (PosixFile file = backend.open(path, OpenMode.READ)) {
      assertEquals(500, file.readFully(10, buffer, 500, 500));
      assertArrayEquals(Arrays.copyOfRange(content, 10, 510), bytes(0, 500));
      file.readFully(10, buffer, 0, 0);
    }
    assertTrue(faults.count(Function.PREAD) >= 500 / 7);
  }

  @Test
  void readPastTheEndNamesTheFileAndWhatIsMissing() throws Exception {
    try (PosixFile file = backend.open(path, OpenMode.READ)) {
      EOFException e = assertThrows(EOFException.class, () -> file.readFully(990, buffer, 25, 25));
      Fixtures.assertNames(e, 15, "position 1000");
      assertTrue(e.getMessage().endsWith(path.toString()), e.getMessage());
    }
  }

  @Test
  void readsAtLeastWhatIsAskedForAndWhatThereIsRoomFor() throws Exception {
    try (PosixFile file = backend.open(path, OpenMode.READ)) {
      assertEquals(600, file.readFully(300, buffer, 100, 600));
      assertArrayEquals(Arrays.copyOfRange(content, 300, 900), bytes(0, 600));
      assertEquals(1, faults.count(Function.PREAD));
      assertEquals(100, file.readFully(900, buffer, 100, 4096), "the file's last");
      assertEquals(100, file.readFully(900, buffer, 0, 4096));
      assertEquals(3, faults.count(Function.PREAD), "no call to see the end that is known");
      assertEquals(0, file.readFully(1000, buffer, 0, 4096));
      assertEquals(0, file.readFully(5000, buffer, 0, 4096));
      assertEquals(3, faults.count(Function.PREAD));
      EOFException e =
          assertThrows(EOFException.class, () -> file.readFully(900, buffer, 101, 4096));
      Fixtures.assertNames(e, 1, "position 1000");
      IllegalArgumentException bug =
          assertThrows(IllegalArgumentException.class, () -> file.readFully(0, buffer, 11, 10));
      assertTrue(bug.getMessage().endsWith(path.toString()), bug.getMessage());
      faults.on(Function.PREAD).every(2).fail(Errno.EINTR);
      faults.on(Function.PREAD).always().transferAtMost(33);
      assertEquals(600, file.readFully(300, buffer, 10, 600), "short counts are no end");
      assertArrayEquals(Arrays.copyOfRange(content, 300, 900), bytes(0, 600));
    }
  }

  @Test
  void readsIntoPiecesWhereverTheKernelCutsIt() throws Exception {
    try (PosixFile file = backend.open(path, OpenMode.READ)) {
      for (int first = 1; first < LENGTH; first++) {
        faults.calm();
        int before = (int) faults.count(Function.PREADV);
        buffer.put(0, new byte[2000], 0, 2000);
        faults.on(Function.PREADV).at(before + 1).transferAtMost(first);
        faults.on(Function.PREADV).at(before + 2).fail(Errno.EINTR);
        IoVector vector = pieces(1, 299, 100, 600);
        file.readFully(0, vector, LENGTH, vector.length());
        assertArrayEquals(content, gathered(1, 299, 100, 600), "cut at " + first);
        assertEquals(0, vector.length());
        assertEquals(0, vector.size());
      }
    }
  }

  @Test
  void piecesPastTheEndStayEmptyUnlessTheyAreNeeded() throws Exception {
    try (PosixFile file = backend.open(path, OpenMode.READ)) {
      IoVector vector = pieces(100, 100);
      file.readFully(850, vector, 150, vector.length());
      assertEquals(50, vector.length(), "what the file did not have");
      assertEquals(1, faults.count(Function.PREADV), "no call to see the end that is known");
      assertArrayEquals(
          Arrays.copyOfRange(content, 850, 1000), Arrays.copyOf(gathered(100, 100), 150));
      EOFException e =
          assertThrows(EOFException.class, () -> file.readFully(850, pieces(100, 100), 151, 200));
      Fixtures.assertNames(e, 1, "position 1000");
      assertTrue(e.getMessage().endsWith(path.toString()), e.getMessage());
      assertThrows(
          IllegalArgumentException.class,
          () -> file.readFully(0, pieces(10, 10), 21, 20),
          "no room");
      file.readFully(0, backend.calls().newVector(1), 0, 0);
    }
  }

  @Test
  void aFileThatIsCutWhileItIsOpenGivesWhatIsLeft() throws Exception {
    try (PosixFile file = backend.open(path, OpenMode.READ);
        PosixFile writable = backend.open(path, OpenMode.WRITE)) {
      writable.truncate(700);
      IoVector vector = pieces(500, 500);
      file.readFully(0, vector, 700, vector.length());
      assertEquals(300, vector.length());
      assertEquals(700, file.readFully(0, buffer, 1, 1000));
      EOFException e =
          assertThrows(EOFException.class, () -> file.readFully(0, pieces(500, 500), 701, 1000));
      Fixtures.assertNames(e, 1, 700, "truncated", 1000);
    }
  }

  @Test
  void aVectoredCallThatFailsNamesItself() throws Exception {
    faults.on(Function.PREADV).at(1).transferAtMost(30);
    faults.on(Function.PREADV).at(2).fail(Errno.EIO);
    try (PosixFile file = backend.open(path, OpenMode.READ)) {
      IOException e =
          assertThrows(IOException.class, () -> file.readFully(10, pieces(50, 50), 100, 100));
      Fixtures.assertNames(e, path, "preadv", "position=40", "length=70", "EIO");
    }
  }

  @Test
  void knowsTheIdentityOfWhatItOpened() throws Exception {
    try (PosixFile file = backend.open(path, OpenMode.READ)) {
      assertFalse(file.isDirect());
      assertEquals(1, file.alignment());
      assertEquals(0, faults.count(Function.DIRECT_ALIGNMENT), "not asked for");
      if (backend.calls().name().equals("channel")) {
        assertEquals(0, file.device());
        assertEquals(0, file.inode());
      } else {
        assertEquals(Files.getAttribute(path, "unix:dev"), file.device());
        assertEquals(Files.getAttribute(path, "unix:ino"), file.inode());
      }
    }
  }

  @Test
  void writesFullyThroughInterruptsAndShortCounts() throws Exception {
    Path copy = folder.resolve("copy");
    faults.on(Function.PWRITE).every(3).fail(Errno.EINTR);
    faults.on(Function.PWRITE).always().transferAtMost(11);
    buffer.put(3, content, 0, LENGTH);
    try (PosixFile file = backend.open(copy, OpenMode.CREATE)) {
      file.writeFully(0, buffer, 3, LENGTH);
    }
    assertArrayEquals(content, Files.readAllBytes(copy));
  }

  @Test
  void aWriteThatWritesNothingIsAnErrorAndNoEndlessLoop() throws Exception {
    faults.on(Function.PWRITE).at(2).answer(0);
    faults.on(Function.PWRITE).at(1).transferAtMost(10);
    try (PosixFile file = backend.open(folder.resolve("copy"), OpenMode.CREATE)) {
      FileSystemException e =
          assertThrows(FileSystemException.class, () -> file.writeFully(5, buffer, 0, 100));
      Fixtures.assertNames(e, "pwrite", "position=15", "length=90");
    }
  }

  @Test
  void truncateAndSyncRetryInterruptsOnly() throws Exception {
    faults.on(Function.FTRUNCATE).at(1).fail(Errno.EINTR);
    faults.on(Function.FDATASYNC).at(1).fail(Errno.EINTR);
    try (PosixFile file = backend.open(path, OpenMode.WRITE)) {
      file.truncate(10);
      assertEquals(10, Files.size(path));
      file.syncData();
      assertEquals(2, faults.count(Function.FDATASYNC), "an interrupted sync is none");
      faults.calm();
      faults.on(Function.FDATASYNC).always().fail(Errno.EIO);
      long before = faults.count(Function.FDATASYNC);
      IOException e = assertThrows(IOException.class, file::syncData);
      Fixtures.assertNames(e, "fdatasync", "EIO");
      assertEquals(before + 1, faults.count(Function.FDATASYNC), "never retried: a real error");
      faults.on(Function.FTRUNCATE).always().fail(Errno.EFBIG);
      e = assertThrows(IOException.class, () -> file.truncate(1L << 60));
      assertTrue(e.getMessage().contains("ftruncate(length="), e.getMessage());
    }
  }

  @Test
  void residencyIsWhatTheKernelAnswersAndNeverAnError() throws Exception {
    faults.on(Function.PREAD_NO_WAIT).at(1).answer(1);
    faults.on(Function.PREAD_NO_WAIT).at(2).fail(Errno.EAGAIN);
    faults.on(Function.PREAD_NO_WAIT).at(3).fail(Errno.EINVAL);
    faults.on(Function.PREAD_NO_WAIT).at(4).fail(Errno.EIO);
    faults.on(Function.PREAD_NO_WAIT).at(5).answer(0);
    try (PosixFile file = backend.open(path, OpenMode.READ)) {
      assertEquals(Residency.RESIDENT, file.residency(0));
      assertEquals(Residency.ABSENT, file.residency(0));
      assertEquals(Residency.UNKNOWN, file.residency(0));
      assertEquals(Residency.UNKNOWN, file.residency(0));
      assertEquals(Residency.UNKNOWN, file.residency(LENGTH));
      faults.on(Function.FADVISE).at(1).answer(0);
      faults.on(Function.FADVISE).at(2).fail(Errno.EINVAL);
      assertTrue(file.advise(0, 0, Advice.RANDOM));
      assertFalse(file.advise(0, 0, Advice.RANDOM));
    }
  }

  /** Whoever asks only wants to know what had better be read ahead. */
  @Test
  void withoutMemoryNobodyKnowsWhatIsResident() throws Exception {
    Backend poor = new Backend(ScriptedCalls.withMemoryFor(new AtomicInteger(), faults));
    try (PosixFile file = poor.open(path, OpenMode.READ)) {
      assertEquals(Residency.UNKNOWN, file.residency(0));
    }
  }

  @Test
  void onceClosedEveryOperationSaysSo() throws Exception {
    PosixFile file = backend.open(path, OpenMode.READ);
    file.close();
    file.close();
    assertFalse(file.isOpen());
    long calls = faults.count();
    List<Executable> operations =
        List.of(
            () -> file.readFully(0, buffer, 1, 1),
            () -> file.readFully(0, buffer, 0, 1),
            () -> file.readFully(0, pieces(1), 1, 1),
            () -> file.writeFully(0, buffer, 0, 1),
            () -> file.truncate(0),
            file::syncData);
    for (Executable operation : operations) {
      FileClosedException e = assertThrows(FileClosedException.class, operation);
      assertTrue(e.getMessage().contains(path.toString()), e.getMessage());
    }
    assertEquals(Residency.UNKNOWN, file.residency(0));
    assertFalse(file.advise(0, 0, Advice.NORMAL), "advice that nobody takes");
    assertEquals(0, file.readResident(0, new byte[1], 0, 1), "the read that waits has to explain");
    assertEquals(calls, faults.count(), "nothing reaches the kernel");
  }

  @Test
  void aCloseThatFailsIsToldOnceAndNeverRepeated() throws Exception {
    faults.on(Function.CLOSE).at(1).fail(Errno.EIO);
    faults.on(Function.CLOSE).at(2).fail(Errno.EINTR);
    PosixFile failing = backend.open(path, OpenMode.WRITE);
    IOException e = assertThrows(IOException.class, failing::close);
    Fixtures.assertNames(e, "close", "EIO");
    failing.close();
    PosixFile interrupted = backend.open(path, OpenMode.WRITE);
    interrupted.close();
    interrupted.close();
    assertEquals(2, faults.count(Function.CLOSE));
  }

  @Test
  void theLastOfSeveralReadersCloses() throws Exception {
    int readers = 4;
    CountDownLatch inside = new CountDownLatch(readers);
    CountDownLatch closed = new CountDownLatch(1);
    faults
        .on(Function.PREAD)
        .always()
        .first(
            () -> {
              inside.countDown();
              Fixtures.awaitQuietly(closed);
              assertEquals(0, faults.count(Function.CLOSE), "closed under a reader");
            });
    PosixFile file = backend.open(path, OpenMode.READ);
    Fixtures.inThreads(
        readers + 1,
        thread -> {
          if (thread < readers) {
            NativeBuffer own = faults.allocate(LENGTH, 8);
            byte[] bytes = new byte[LENGTH];
            // All read before any may leave: at least one leaves last.
            file.readFully(0, own, LENGTH, LENGTH);
            own.get(0, bytes, 0, LENGTH);
            assertArrayEquals(content, bytes);
          } else {
            Fixtures.await(inside);
            file.close();
            file.close();
            assertFalse(file.isOpen());
            assertThrows(FileClosedException.class, () -> file.readFully(0, buffer, 1, 1));
            assertEquals(0, faults.count(Function.CLOSE), "closed under a reader");
            closed.countDown();
          }
        });
    assertEquals(1, faults.count(Function.CLOSE));
  }

  /** Pieces of these lengths in {@link #buffer}, the last first, with gaps. */
  private IoVector pieces(int... lengths) {
    IoVector vector = faults.newVector(lengths.length);
    int end = 2000;
    for (int length : lengths) {
      end -= length;
      vector.add(buffer.bytes(), end, length);
      end -= 5;
    }
    return vector;
  }

  /** Returns the bytes of {@link #pieces} in the order of the file. */
  private byte[] gathered(int... lengths) {
    byte[] bytes = new byte[Arrays.stream(lengths).sum()];
    int done = 0;
    int end = 2000;
    for (int length : lengths) {
      end -= length;
      buffer.get(end, bytes, done, length);
      end -= 5;
      done += length;
    }
    return bytes;
  }

  private byte[] bytes(int offset, int length) {
    byte[] bytes = new byte[length];
    buffer.get(offset, bytes, 0, length);
    return bytes;
  }
}
