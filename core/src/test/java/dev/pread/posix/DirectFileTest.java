/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.BackendTestCase;
import dev.pread.Fixtures;
import dev.pread.posix.FaultSystemCalls.Function;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.lucene.tests.mockfile.FilterFileSystemProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Files that are open for direct I/O, simulated where the backend or the file system has none. */
class DirectFileTest extends BackendTestCase {

  private static final int UNIT = 512;
  private static final int LENGTH = 10 * UNIT + 100;

  private final NativeBuffer buffer = faults.allocate(16 * UNIT, 4096);
  private final byte[] content = Fixtures.randomBytes(Fixtures.SEED, LENGTH);
  private Path path;
  private Path created;

  @BeforeEach
  void write() throws Exception {
    path = Files.write(folder.resolve("file"), content);
    created = folder.resolve("created");
  }

  @AfterEach
  void close() throws Exception {
    assertEquals(
        faults.calls(Function.OPEN).stream().filter(c -> c.result() >= 0).count(),
        faults.count(Function.CLOSE));
    assertArrayEquals(content, Files.readAllBytes(path));
  }

  @Test
  void opensDirectlyOrSaysWhyNot() throws Exception {
    try (PosixFile file = backend.open(path, OpenMode.READ_DIRECT)) {
      assertTrue(file.isDirect());
      assertEquals(1, Integer.bitCount(file.alignment()));
      assertTrue(file.alignment() > 1 && file.alignment() <= 4096, "" + file.alignment());
      file.readFully(0, buffer, 4096, 4096);
      assertArrayEquals(Arrays.copyOf(content, 4096), bytes(4096));
    } catch (DirectIoUnsupportedException e) {
      checkRefusal(e, path, whyNot());
    }
    try (PosixFile file = backend.open(created, OpenMode.CREATE_DIRECT)) {
      assertTrue(file.isDirect());
      buffer.put(0, content, 0, 4096);
      file.writeFully(0, buffer, 0, 4096);
      assertArrayEquals(Arrays.copyOf(content, 4096), Files.readAllBytes(created));
    } catch (DirectIoUnsupportedException e) {
      checkRefusal(e, created, whyNot());
      assertTrue(Files.notExists(created));
    }
    if (faults.name().equals("channel")) {
      assertEquals(
          List.of(-22L, -22L), faults.calls(Function.OPEN).stream().map(c -> c.result()).toList());
    }
  }

  private String whyNot() {
    return faults.name().equals("channel")
        ? "this backend has no direct I/O (backend channel)"
        : "open with O_DIRECT failed with EINVAL (22): Invalid argument";
  }

  @Test
  void whatCanNotBeOpenedOnceMoreIsNamedAsItWas() throws Exception {
    try (PosixFile file = backend.open(path, OpenMode.READ)) {
      for (int errno : List.of(Errno.EMFILE, Errno.EACCES)) {
        faults.on(Function.OPEN).always().fail(errno);
        FileSystemException e = assertThrows(FileSystemException.class, file::reopenDirect);
        assertEquals(path.toString(), e.getFile(), e.toString());
        Fixtures.assertNames(e, Errno.describe(errno));
        faults.calm();
      }
    }
  }

  @Test
  void otherErrorsStayWhatTheyAre() {
    assertThrows(
        NoSuchFileException.class, () -> backend.open(created, OpenMode.READ_DIRECT), "READ");
    assertThrows(
        FileAlreadyExistsException.class, () -> backend.open(path, OpenMode.CREATE_DIRECT));
    faults.on(Function.OPEN).always().fail(Errno.EMFILE);
    IOException e =
        assertThrows(FileSystemException.class, () -> backend.open(path, OpenMode.READ_DIRECT));
    Fixtures.assertNames(e, "EMFILE", "ulimit");
    faults.calm();
    faults.on(Function.OPEN).always().fail(Errno.EINVAL);
    // Without O_DIRECT there is nothing to fall back to.
    assertThrows(FileSystemException.class, () -> backend.open(path, OpenMode.READ));
  }

  @Test
  void thatThereIsNoDescriptorLeftIsRememberedForAMinute() {
    AtomicLong now = new AtomicLong(Long.MAX_VALUE - 5);
    Backend timed = TimedBackend.of(faults, now::get);
    long minute = TimeUnit.MINUTES.toNanos(1);
    for (int errno : new int[] {Errno.EIO, Errno.EMFILE, Errno.ENFILE}) {
      assertFalse(timed.isShortOfDescriptors());
      faults.calm();
      faults.on(Function.OPEN).always().fail(errno);
      assertThrows(FileSystemException.class, () -> timed.open(path, OpenMode.READ));
      assertEquals(errno != Errno.EIO, timed.isShortOfDescriptors());
      now.addAndGet(minute - 1);
      assertEquals(errno != Errno.EIO, timed.isShortOfDescriptors());
      now.addAndGet(1);
    }
    assertFalse(timed.isShortOfDescriptors());
  }

  /** The kernel's answer to it is EINVAL, as that of a file system without direct I/O. */
  @Test
  void aFolderIsNoFileThatDirectIoIsRefusedFor() throws Exception {
    Path directory = Files.createDirectory(folder.resolve("d"));
    for (int alignment : new int[] {0, UNIT}) {
      faults.simulateDirect(alignment);
      checkFolder(directory);
    }
    faults.simulateDirect(0);
    faults.forget();
    faults.on(Function.OPEN).at(1).fail(Errno.EINTR);
    faults.on(Function.OPEN).at(2).fail(Errno.EINVAL);
    checkFolder(directory);
  }

  private void checkFolder(Path directory) {
    FileSystemException e =
        assertThrows(
            FileSystemException.class, () -> backend.open(directory, OpenMode.READ_DIRECT));
    assertEquals(
        directory + ": open(READ_DIRECT) failed with EISDIR (21): Is a directory; check the name",
        e.getMessage());
    assertThrows(
        FileAlreadyExistsException.class, () -> backend.open(directory, OpenMode.CREATE_DIRECT));
    assertTrue(Files.isDirectory(directory));
  }

  @Test
  void whatTheKernelCreatesAndThenRefusesIsTakenBack() throws Exception {
    faults.on(Function.OPEN).at(1).fail(Errno.EINTR);
    faults.on(Function.OPEN).at(2).instead(() -> createAndRefuse(new byte[0]));
    faults.on(Function.OPEN).at(3).instead(() -> createAndRefuse(new byte[1]));
    DirectIoUnsupportedException e =
        assertThrows(
            DirectIoUnsupportedException.class,
            () -> backend.open(created, OpenMode.CREATE_DIRECT));
    checkRefusal(e, created, "open with O_DIRECT failed with EINVAL");
    assertTrue(Files.notExists(created));
    assertThrows(
        DirectIoUnsupportedException.class, () -> backend.open(created, OpenMode.CREATE_DIRECT));
    assertEquals(1, Files.size(created), "this can't have been ours");
    faults.calm();
    faults.on(Function.OPEN).always().fail(Errno.EINVAL);
    assertThrows(
        DirectIoUnsupportedException.class, () -> backend.open(path, OpenMode.READ_DIRECT));
  }

  private long createAndRefuse(byte[] bytes) {
    try {
      Files.write(created, bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return -Errno.EINVAL;
  }

  @Test
  void anAlignmentOfZeroIsARefusal() {
    faults.simulateDirect(UNIT);
    faults.on(Function.DIRECT_ALIGNMENT).always().answer(0);
    for (OpenMode mode : List.of(OpenMode.READ_DIRECT, OpenMode.CREATE_DIRECT)) {
      Path file = mode == OpenMode.READ_DIRECT ? path : created;
      DirectIoUnsupportedException e =
          assertThrows(DirectIoUnsupportedException.class, () -> backend.open(file, mode));
      checkRefusal(e, file, "statx answered an alignment of 0, and of 0 in the file");
    }
    assertTrue(Files.notExists(created));
    assertEquals(2, faults.count(Function.CLOSE));
  }

  @Test
  void anAlignmentThatIsNotToldIsAPage() throws Exception {
    faults.simulateDirect(UNIT);
    int call = 0;
    for (int errno : new int[] {Errno.EOPNOTSUPP, Errno.ENOSYS, Errno.EPERM}) {
      faults.on(Function.DIRECT_ALIGNMENT).at(++call).fail(Errno.EINTR);
      faults.on(Function.DIRECT_ALIGNMENT).at(++call).fail(errno);
      try (PosixFile file = backend.open(path, OpenMode.READ_DIRECT)) {
        assertEquals(4096, file.alignment());
        assertTrue(file.isDirect());
      }
    }
    for (int alignment : new int[] {4, 512, 16384}) {
      faults.simulateDirect(alignment);
      try (PosixFile file = backend.open(path, OpenMode.READ_DIRECT)) {
        assertEquals(alignment, file.alignment(), "the larger of the two");
      }
    }
    faults.on(Function.DIRECT_ALIGNMENT).always().fail(Errno.EIO);
    for (OpenMode mode : List.of(OpenMode.READ_DIRECT, OpenMode.CREATE_DIRECT)) {
      Path file = mode == OpenMode.READ_DIRECT ? path : created;
      IOException e = assertThrows(FileSystemException.class, () -> backend.open(file, mode));
      Fixtures.assertNames(e, file, "statx", "EIO");
    }
    assertTrue(Files.notExists(created));
  }

  @Test
  void whateverFailsAfterTheOpenLeavesNothing() {
    faults.simulateDirect(UNIT);
    faults.on(Function.FSTAT).always().fail(Errno.EIO);
    assertThrows(IOException.class, () -> backend.open(path, OpenMode.READ_DIRECT));
    assertThrows(IOException.class, () -> backend.open(created, OpenMode.CREATE_DIRECT));
    assertTrue(Files.notExists(created));
  }

  /** A file system that lets nobody delete, by an exception that is none of the JDK's. */
  private static final class Keeping extends FilterFileSystemProvider {
    private final RuntimeException denial = new IllegalStateException("by policy");

    Keeping(Path folder) {
      super("keeping://", folder.getFileSystem());
    }

    @Override
    public void delete(Path path) {
      throw denial;
    }

    @Override
    public boolean deleteIfExists(Path path) {
      throw denial;
    }
  }

  @Test
  void aDeletionThatAPolicyForbidsDoesNotHideTheFailure() throws Exception {
    Keeping keeping = new Keeping(folder);
    Path kept = keeping.wrapPath(created);
    faults.on(Function.OPEN).at(1).instead(() -> createAndRefuse(new byte[0]));
    IOException e =
        assertThrows(
            DirectIoUnsupportedException.class, () -> backend.open(kept, OpenMode.CREATE_DIRECT));
    assertSame(keeping.denial, e.getSuppressed()[0]);
    Files.delete(created);
    faults.on(Function.FSTAT).always().fail(Errno.EIO);
    e =
        assertThrows(
            FileSystemException.class,
            () -> FileOpener.open(backend, kept, created, OpenMode.CREATE));
    Fixtures.assertNames(e, "fstat", "EIO");
    assertSame(keeping.denial, e.getSuppressed()[0]);
  }

  @Test
  void theUnalignedTailEndsTheFile() throws Exception {
    faults.simulateDirect(UNIT);
    try (PosixFile file = backend.open(path, OpenMode.READ_DIRECT)) {
      assertEquals(UNIT + 100, file.readFully(9 * UNIT, buffer, 1, 4 * UNIT));
      assertArrayEquals(Arrays.copyOfRange(content, 9 * UNIT, LENGTH), bytes(UNIT + 100));
      IoVector vector = pieces(3);
      file.readFully(9 * UNIT, vector, UNIT + 100, vector.length());
      assertEquals(2 * UNIT - 100, vector.length());
      assertEquals(2, faults.count(Function.PREAD) + faults.count(Function.PREADV));
      for (EOFException e :
          List.of(
              assertThrows(
                  EOFException.class, () -> file.readFully(9 * UNIT, buffer, UNIT + 103, 4 * UNIT)),
              assertThrows(
                  EOFException.class,
                  () -> file.readFully(9 * UNIT, pieces(3), UNIT + 103, 3 * UNIT)))) {
        Fixtures.assertNames(e, 3, "position " + LENGTH, UNIT + 100);
        assertTrue(e.getMessage().endsWith(path.toString()), e.getMessage());
      }
      assertEquals(
          4,
          faults.count(Function.PREAD) + faults.count(Function.PREADV),
          "nothing is asked for at a position that is not aligned");
    }
  }

  @Test
  void shortCountsOfWholeUnitsAreContinued() throws Exception {
    faults.simulateDirect(UNIT);
    faults.on(Function.PREAD).every(2).fail(Errno.EINTR);
    faults.on(Function.PREADV).every(2).fail(Errno.EINTR);
    try (PosixFile file = backend.open(path, OpenMode.READ_DIRECT)) {
      for (int units = 1; units < 8; units++) {
        faults.on(Function.PREAD).always().transferAtMost(units * UNIT);
        faults.on(Function.PREADV).always().transferAtMost(units * UNIT);
        buffer.put(0, new byte[8 * UNIT], 0, 8 * UNIT);
        file.readFully(UNIT, pieces(8), 1, 8 * UNIT);
        assertArrayEquals(Arrays.copyOfRange(content, UNIT, 9 * UNIT), bytes(8 * UNIT));
        buffer.put(0, new byte[8 * UNIT], 0, 8 * UNIT);
        assertEquals(8 * UNIT, file.readFully(UNIT, buffer, 1, 8 * UNIT));
        assertArrayEquals(Arrays.copyOfRange(content, UNIT, 9 * UNIT), bytes(8 * UNIT));
      }
    }
  }

  @Test
  void aCountWithinAUnitIsEnoughWhereItIsAllThatWasAskedFor() throws Exception {
    faults.simulateDirect(UNIT);
    try (PosixFile file = backend.open(path, OpenMode.READ_DIRECT)) {
      faults.on(Function.PREADV).always().transferAtMost(UNIT + 7);
      IoVector vector = pieces(4);
      file.readFully(0, vector, UNIT + 7, vector.length());
      assertEquals(3 * UNIT - 7, vector.length());
      assertEquals(1, faults.count(Function.PREADV));
    }
  }

  /** The bytes before a bad sector, or before a signal, may be what a call returns. */
  @Test
  void aReadThatIsCutShortWithinAUnitTellsTheErrorThatCutIt() throws Exception {
    faults.simulateDirect(UNIT);
    try (PosixFile file = backend.open(path, OpenMode.READ_DIRECT)) {
      for (Function function : List.of(Function.PREAD, Function.PREADV)) {
        faults.on(function).at(1).transferAtMost(2 * UNIT + 9);
        faults.on(function).from(2).fail(Errno.EIO);
        FileSystemException e =
            assertThrows(FileSystemException.class, () -> readUnits(file, function, 6));
        assertTrue(e.getMessage().contains(Errno.describe(Errno.EIO)), e.getMessage());
        assertTrue(e.getMessage().contains("position=" + 2 * UNIT), e.getMessage());
        faults.calm();
      }
    }
  }

  @Test
  void aReadThatIsCutShortWithinAUnitGoesOnFromTheStartOfThatUnit() throws Exception {
    faults.simulateDirect(UNIT);
    try (PosixFile file = backend.open(path, OpenMode.READ_DIRECT)) {
      for (Function function : List.of(Function.PREAD, Function.PREADV)) {
        faults.on(function).at(1).transferAtMost(2 * UNIT + 9);
        faults.on(function).at(2).transferAtMost(UNIT - 1);
        readUnits(file, function, 6);
        assertArrayEquals(Arrays.copyOf(content, 6 * UNIT), bytes(6 * UNIT));
        assertEquals(
            List.of(0L, 2L * UNIT, 2L * UNIT),
            faults.calls(function).stream().map(FaultSystemCalls.Call::position).toList());
        faults.calm();
      }
    }
  }

  @Test
  void aFileThatIsTruncatedWithinAUnitIsReportedAsTruncated() throws Exception {
    faults.simulateDirect(UNIT);
    try (PosixFile file = backend.open(path, OpenMode.READ_DIRECT)) {
      for (Function function : List.of(Function.PREAD, Function.PREADV)) {
        for (int left : new int[] {3 * UNIT + 8, 3 * UNIT}) {
          Files.write(path, Arrays.copyOf(content, left));
          EOFException e = assertThrows(EOFException.class, () -> readUnits(file, function, 6));
          Fixtures.assertNames(e, left);
          assertTrue(e.getMessage().contains("truncated"), e.getMessage());
        }
      }
    } finally {
      Files.write(path, content);
    }
  }

  /** Reads into the start of the buffer, by either function. */
  private void readUnits(PosixFile file, Function function, int units) throws IOException {
    if (function == Function.PREAD) {
      file.readFully(0, buffer, units * UNIT, units * UNIT);
    } else {
      IoVector vector = faults.newVector(2);
      vector.add(buffer.bytes(), 0, UNIT);
      // A buffer of its own, since neighbours would become one piece.
      vector.add(buffer.bytes().duplicate(), UNIT, (units - 1) * UNIT);
      file.readFully(0, vector, units * UNIT, vector.length());
    }
  }

  @Test
  void misalignedTransfersAreRefusedWithTheAlignment() throws Exception {
    faults.simulateDirect(UNIT);
    try (PosixFile file = backend.open(path, OpenMode.READ_DIRECT)) {
      IOException e = assertThrows(IOException.class, () -> file.readFully(3, buffer, UNIT, UNIT));
      Fixtures.assertNames(
          e, path, "pread", "position=3", "length=512", "O_DIRECT", "alignment 512", "EINVAL");
    }
  }

  private static void checkRefusal(DirectIoUnsupportedException e, Path path, String reason) {
    assertTrue(e.getMessage().contains(reason), e.getMessage());
    assertTrue(e.getMessage().contains("PreadDirectory"), e.getMessage());
    assertTrue(e.getMessage().endsWith(": " + path), e.getMessage());
  }

  /** Returns the first units of {@link #buffer}, each a piece. */
  private IoVector pieces(int units) {
    IoVector vector = faults.newVector(units);
    for (int i = 0; i < units; i++) {
      // Buffers of their own, since neighbours would become one piece.
      vector.add(buffer.bytes().duplicate(), i * UNIT, UNIT);
    }
    return vector;
  }

  private byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    buffer.get(0, bytes, 0, length);
    return bytes;
  }
}
