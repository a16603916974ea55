/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.BackendTestCase;
import dev.pread.Fixtures;
import dev.pread.posix.Errno;
import dev.pread.posix.FaultSystemCalls.Call;
import dev.pread.posix.FaultSystemCalls.Function;
import dev.pread.posix.OpenMode;
import dev.pread.posix.PosixFile;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import org.apache.lucene.store.AlreadyClosedException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Reads of resident data straight into arrays, and what becomes of them where that fails. */
class ArrayReadTest extends BackendTestCase {

  private static final int LENGTH = 500_000;

  private final byte[] data = Fixtures.randomBytes(Fixtures.SEED, LENGTH);
  private PosixFile file;
  private FileReader reader;

  ArrayReadTest() {
    faults.simulateArrays();
  }

  @BeforeEach
  void open() throws Exception {
    file = backend.open(Files.write(folder.resolve("f"), data), OpenMode.READ);
    reader = new FileReader(backend, file);
    faults.forget();
  }

  @AfterEach
  void close() throws Exception {
    file.close();
  }

  /** Reads, and checks every byte of the array, those around the range too. */
  private void check(int position, int length) throws IOException {
    byte[] dst = new byte[length + 5];
    reader.readBytes(position, dst, 3, length);
    byte[] expected = new byte[length + 5];
    System.arraycopy(data, position, expected, 3, length);
    assertArrayEquals(expected, dst);
  }

  @Test
  void residentBytesTakeOneCallAndNoCopy() throws Exception {
    for (int length : new int[] {1, 100, 8192, 131_072}) {
      faults.forget();
      check(17, length);
      assertEquals(1, faults.count(Function.PREAD_ARRAY), "length " + length);
      assertEquals(0, faults.count(Function.PREAD), "length " + length);
    }
    faults.forget();
    check(17, 0);
    assertEquals(0, faults.count());
  }

  @Test
  void longReadsAreCutSoThatNoneKeepsTheCollectorLong() throws Exception {
    check(1, LENGTH - 1);
    long end = 1;
    for (Call call : faults.calls(Function.PREAD_ARRAY)) {
      assertTrue(call.length() < LENGTH / 2, call.toString());
      assertEquals(end, call.position(), "no byte twice");
      end += call.length();
    }
    assertEquals(0, faults.count(Function.PREAD));
  }

  @Test
  void whatIsNotResidentIsReadTheOtherWay() throws Exception {
    faults.on(Function.PREAD_ARRAY).at(1).fail(Errno.EAGAIN);
    check(5, 10_000);
    faults.calm();
    faults.forget();
    check(5, 10_000);
    assertEquals(0, faults.count(Function.PREAD), "the next is tried again");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 4096, 9_999})
  void aShortAnswerIsContinuedTheOtherWay(int count) throws Exception {
    faults.on(Function.PREAD_ARRAY).always().transferAtMost(count);
    check(5, 10_000);
    assertEquals(1, faults.count(Function.PREAD_ARRAY), "the rest is not resident");
    Call rest = faults.calls(Function.PREAD).get(0);
    assertEquals(5 + count, rest.position());
    assertEquals(10_000 - count, rest.length());
  }

  /** A sandbox that refuses the call does so for the process, and not for one of its files. */
  @ParameterizedTest
  @ValueSource(ints = {Errno.EPERM, Errno.ENOSYS})
  void aProcessThatMayNotMakeTheCallTriesItOnceForAllItsFiles(int errno) throws Exception {
    faults.on(Function.PREAD_ARRAY).always().fail(errno);
    for (int i = 0; i < 3; i++) {
      check(i, 10_000);
      try (PosixFile another = backend.open(folder.resolve("f"), OpenMode.READ)) {
        byte[] dst = new byte[1000];
        new FileReader(backend, another).readBytes(7, dst, 0, dst.length);
        assertArrayEquals(Arrays.copyOfRange(data, 7, 1007), dst);
      }
    }
    assertEquals(1, faults.count(Function.PREAD_ARRAY));
  }

  @Test
  void aFileSystemWithoutItIsAskedOncePerFile() throws Exception {
    faults.on(Function.PREAD_ARRAY).at(1).fail(Errno.EOPNOTSUPP);
    check(5, 10_000);
    check(5, 10_000);
    assertEquals(1, faults.count(Function.PREAD_ARRAY));
    try (PosixFile another = backend.open(folder.resolve("f"), OpenMode.READ)) {
      assertEquals(100, another.readResident(0, new byte[100], 0, 100), "of a file elsewhere");
    }
  }

  /** Linux 5.9 and 5.10 answer 0 before the end of a file: see the BUGS of preadv2(2). */
  @Test
  void anAnswerOfZeroIsNotTheEndOfTheFile() throws Exception {
    faults.on(Function.PREAD_ARRAY).at(1).answer(0);
    check(5, 10_000);
    faults.calm();
    faults.forget();
    check(5, 10_000);
    assertEquals(0, faults.count(Function.PREAD), "the next is tried again");
  }

  @ParameterizedTest
  @ValueSource(ints = {Errno.EIO, Errno.EINTR, Errno.EINVAL})
  void errorsAreLeftToTheReadThatFollows(int errno) throws Exception {
    faults.on(Function.PREAD_ARRAY).every(2).fail(errno);
    check(0, 1000);
    check(0, 1000);
    faults.on(Function.PREAD).always().fail(Errno.EIO);
    FileSystemException e = assertThrows(FileSystemException.class, () -> failing(1000));
    Fixtures.assertNames(e, "pread", "position=0");
  }

  /** Makes two reads, of which the second finds nothing resident. */
  private void failing(int length) throws IOException {
    check(0, length);
    check(0, length);
  }

  @Test
  void aTruncatedFileIsAnExceptionAsEver() throws Exception {
    try (FileChannel channel = FileChannel.open(folder.resolve("f"), StandardOpenOption.WRITE)) {
      channel.truncate(5000);
    }
    EOFException e = assertThrows(EOFException.class, () -> check(4000, 2000));
    Fixtures.assertNames(e, 1000, 5000);
  }

  @Test
  void directFilesAreNotTried() throws Exception {
    faults.simulateDirect(512);
    try (PosixFile direct = backend.open(folder.resolve("f"), OpenMode.READ_DIRECT)) {
      byte[] dst = new byte[10_000];
      new FileReader(backend, direct).readBytes(7, dst, 0, dst.length);
      assertArrayEquals(Arrays.copyOfRange(data, 7, 10_007), dst);
    }
    assertEquals(0, faults.count(Function.PREAD_ARRAY));
  }

  @Test
  void theDescriptorStaysUntilTheCallHasEnded() throws Exception {
    CountDownLatch closed = new CountDownLatch(1);
    faults
        .on(Function.PREAD_ARRAY)
        .at(1)
        .first(
            () -> {
              Thread closer = new Thread(() -> closeQuietly(closed));
              closer.start();
              Fixtures.awaitQuietly(closed);
              assertEquals(0, faults.count(Function.CLOSE), "in use");
            });
    check(5, 10_000);
    assertEquals(1, faults.count(Function.CLOSE), "by the last who leaves");
    AlreadyClosedException e = assertThrows(AlreadyClosedException.class, () -> check(5, 10));
    assertTrue(e.getMessage().contains(file.path().toString()), e.getMessage());
    faults.forget();
    assertEquals(0, file.readResident(0, new byte[1], 0, 1));
    assertEquals(0, faults.count(), "no call of a descriptor that may be another file's");
  }

  private void closeQuietly(CountDownLatch closed) {
    try {
      file.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      closed.countDown();
    }
  }
}
