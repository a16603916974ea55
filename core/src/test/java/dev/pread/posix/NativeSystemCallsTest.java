/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.Fixtures;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
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
    try (var descriptors = Files.list(Path.of("/proc/self/fd"))) {
      List<Path> ours = new ArrayList<>();
      for (Path descriptor : (Iterable<Path>) descriptors::iterator) {
        if (Files.isSymbolicLink(descriptor)
            && Files.readSymbolicLink(descriptor).startsWith(folder)) {
          ours.add(Files.readSymbolicLink(descriptor));
        }
      }
      assertEquals(List.of(), ours);
    }
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
  void openTellsWhyItFails() {
    assertEquals(-Errno.ENOENT, posix.open(folder.resolve("missing"), OpenMode.READ));
    assertEquals(-Errno.ENOENT, posix.open(folder.resolve("missing"), OpenMode.WRITE));
    assertEquals(-Errno.EEXIST, posix.open(path, OpenMode.CREATE));
    assertEquals(-Errno.ENOTDIR, posix.open(path.resolve("below"), OpenMode.READ));
    assertEquals(-Errno.ENAMETOOLONG, posix.open(folder.resolve("x".repeat(300)), OpenMode.READ));
  }

  @Test
  void createMakesAFileWithTheUsualPermissions() throws IOException {
    String name = "created-\u00e4\u20ac";
    Charset locale = Charset.forName(System.getProperty("sun.jnu.encoding"));
    // A locale like C can't name these letters.
    Path created = folder.resolve(locale.newEncoder().canEncode(name) ? name : "created");
    int fd = posix.open(created, OpenMode.CREATE);
    assertTrue(fd >= 0, "open: " + fd);
    assertEquals(0, posix.close(fd));
    Path reference = Files.createFile(folder.resolve("reference"));
    assertEquals(
        Files.getPosixFilePermissions(reference),
        Files.getPosixFilePermissions(created),
        "as java.nio.file creates them");
  }

  @Test
  void preadReadsAnywhereAndStopsAtTheEnd() {
    int fd = posix.open(path, OpenMode.READ);
    assertEquals(100, posix.pread(fd, buffer, 7, 100, 4090));
    assertArrayEquals(slice(content, 4090, 100), bytes(7, 100));
    assertEquals(17, posix.pread(fd, buffer, 0, 100, 4 * PAGE));
    assertEquals(0, posix.pread(fd, buffer, 0, 100, content.length));
    assertEquals(-Errno.EINVAL, posix.pread(fd, buffer, 0, 100, -1));
    posix.close(fd);
  }

  @Test
  void pwriteFtruncateAndSync() throws IOException {
    Path file = folder.resolve("w");
    int fd = posix.open(file, OpenMode.CREATE);
    buffer.put(3, content, 0, 1000);
    assertEquals(1000, posix.pwrite(fd, buffer, 3, 1000, 500));
    assertEquals(0, posix.ftruncate(fd, 1200));
    assertEquals(0, posix.fdatasync(fd));
    assertEquals(0, posix.fsync(fd));
    assertEquals(-Errno.EBADF, posix.pread(fd, buffer, 0, 1, 0), "open for writing only");
    posix.close(fd);
    byte[] expected = new byte[1200];
    System.arraycopy(content, 0, expected, 500, 700);
    assertArrayEquals(expected, Files.readAllBytes(file));
    assertEquals(-Errno.EBADF, posix.ftruncate(fd, 0));
    assertEquals(-Errno.EBADF, posix.fsync(fd));
    assertEquals(-Errno.EBADF, posix.fdatasync(fd));
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
  void fstatTellsLengthKindAndIdentity() throws IOException {
    FileStat stat = new FileStat();
    int fd = posix.open(path, OpenMode.READ);
    assertEquals(0, posix.fstat(fd, stat));
    assertEquals(FileStat.Kind.REGULAR, stat.kind());
    assertEquals(content.length, stat.size());
    assertEquals(Files.getAttribute(path, "unix:ino"), stat.inode());
    assertEquals(Files.getAttribute(path, "unix:dev"), stat.device());
    posix.close(fd);
    assertEquals(-Errno.EBADF, posix.fstat(fd, stat));

    int directory = posix.open(folder, OpenMode.READ);
    assertEquals(0, posix.fstat(directory, stat));
    assertEquals(FileStat.Kind.DIRECTORY, stat.kind());
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
    int threads = 8;
    CountDownLatch start = new CountDownLatch(1);
    ExecutorService executor = Executors.newFixedThreadPool(threads);
    int fd = posix.open(path, OpenMode.READ);
    try {
      List<Future<?>> results = new ArrayList<>();
      for (int t = 0; t < threads; t++) {
        boolean bad = t % 2 == 0;
        NativeBuffer own = posix.allocate(64, 16);
        results.add(
            executor.submit(
                () -> {
                  start.await();
                  for (int i = 0; i < 20_000; i++) {
                    if (bad) {
                      assertEquals(-Errno.EBADF, posix.pread(54321, own, 0, 1, 0));
                    } else {
                      assertEquals(-Errno.EINVAL, posix.pread(fd, own, 0, 1, -1));
                    }
                  }
                  return null;
                }));
      }
      start.countDown();
      for (Future<?> result : results) {
        result.get();
      }
    } finally {
      executor.shutdown();
      posix.close(fd);
    }
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
