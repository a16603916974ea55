/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.Fixtures;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each call of a native backend does what its man page says, on the real file system. */
class NativeSystemCallsTest {

  private static final int PAGE = 4096;

  /** {@code O_CLOEXEC}, on all processors. */
  private static final int CLOSE_ON_EXEC = 02000000;

  @TempDir Path folder;

  private final SystemCalls posix = Fixtures.nativeCalls();
  private NativeBuffer buffer;
  private Path path;
  private byte[] content;

  @BeforeEach
  void writeFile() throws IOException {
    buffer = posix.allocate(16 * PAGE, PAGE);
    path = folder.resolve("f");
    content = new byte[4 * PAGE + 17];
    new Random(42).nextBytes(content);
    Files.write(path, content);
  }

  @AfterEach
  void noDescriptorIsLeftOpen() throws IOException {
    assertEquals(0, Fixtures.descriptorsIn(folder));
  }

  @Test
  void openSetsCloseOnExecAndCloseEndsTheDescriptor() throws IOException {
    int fd = posix.open(path, OpenMode.READ);
    assertTrue(fd >= 0, "open: " + fd);
    int flags = Fixtures.openFlags(Path.of("" + fd));
    assertEquals(CLOSE_ON_EXEC, flags & CLOSE_ON_EXEC, Integer.toOctalString(flags));
    assertEquals(0, posix.close(fd));
    assertEquals(-Errno.EBADF, posix.close(fd));
    assertEquals(-Errno.EBADF, posix.pread(fd, buffer, 0, 1, 0));
  }

  @Test
  void writeGoesOnWhereTheDescriptorStands() throws IOException {
    Path file = folder.resolve("w");
    int fd = posix.open(file, OpenMode.CREATE);
    buffer.put(3, content, 0, 1000);
    assertEquals(600, posix.write(fd, buffer, 3, 600));
    assertEquals(400, posix.write(fd, buffer, 603, 400));
    posix.close(fd);
    assertArrayEquals(slice(content, 0, 1000), Files.readAllBytes(file));
    assertEquals(-Errno.EBADF, posix.write(fd, buffer, 0, 1));
  }

  @Test
  void whatIsNoFileIsToldFromOne() {
    FileStat stat = new FileStat();
    int directory = posix.open(folder, OpenMode.READ);
    assertEquals(-Errno.EISDIR, posix.pread(directory, buffer, 0, 1, 0));
    posix.close(directory);

    int device = posix.open(Path.of("/dev/null"), OpenMode.READ);
    assertEquals(0, posix.fstat(device, stat));
    assertEquals(FileStat.Kind.OTHER, stat.kind());
    posix.close(device);
  }

  @Test
  void noWaitReadsOnlyWhatIsResidentAndAdviceReachesTheKernel() {
    int fd = posix.open(path, OpenMode.READ);
    assertEquals(content.length, posix.pread(fd, buffer, 0, buffer.size(), 0));
    assertEquals(100, posix.preadNoWait(fd, buffer, 9, 100, 1), "just read, so resident");
    assertArrayEquals(slice(content, 1, 100), bytes(9, 100));

    // Dirty pages can't be dropped, so they have to reach the disk first.
    assertEquals(0, posix.fsync(fd));
    assertEquals(0, posix.fadvise(fd, 0, 0, Advice.RANDOM));
    assertEquals(-Errno.EAGAIN, afterDropping(fd), "dropped");

    assertEquals(0, posix.fadvise(fd, 0, 0, Advice.SEQUENTIAL));
    assertEquals(0, posix.fadvise(fd, 0, 0, Advice.NORMAL));
    assertEquals(0, posix.fadvise(fd, 0, PAGE, Advice.WILLNEED));
    assertEquals(-Errno.EBADF, posix.fadvise(12345, 0, 0, Advice.NORMAL));
    posix.close(fd);
  }

  /**
   * What a read that doesn't wait answers where nothing is resident. It starts a read of the device
   * all the same, and has its bytes when the device is quicker than the kernel's second look. That
   * is one time in thousands on some machines, and hundreds of times in a row on others.
   */
  private long afterDropping(int fd) {
    long n = 0;
    for (int attempts = 0; attempts < 10_000 && n != -Errno.EAGAIN; attempts++) {
      assertEquals(0, posix.fadvise(fd, 0, 0, Advice.DONTNEED));
      n = posix.preadNoWait(fd, buffer, 0, 1, 2 * PAGE);
    }
    return n;
  }

  @Test
  void everyCallHasItsOwnErrno() throws Exception {
    int fd = posix.open(path, OpenMode.READ);
    Fixtures.inThreads(
        8,
        thread -> {
          NativeBuffer own = posix.allocate(64, 16);
          for (int i = 0; i < 20_000; i++) {
            if (thread % 2 == 0) {
              assertEquals(-Errno.EBADF, posix.pread(54321, own, 0, 1, 0));
            } else {
              assertEquals(-Errno.EINVAL, posix.pread(fd, own, 0, 1, -1));
            }
          }
        });
    posix.close(fd);
  }

  private byte[] bytes(int offset, int length) {
    byte[] copy = new byte[length];
    buffer.get(offset, copy, 0, length);
    return copy;
  }

  private static byte[] slice(byte[] array, int offset, int length) {
    byte[] copy = new byte[length];
    System.arraycopy(array, offset, copy, 0, length);
    return copy;
  }
}
