/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.Fixtures;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code O_DIRECT} on the file system of the build folder; skipped where that has none. */
class NativeDirectTest {

  private static final int PAGE = 4096;

  @TempDir Path folder;

  private final SystemCalls posix = Fixtures.nativeCalls();
  private final Backend backend = new Backend(posix);
  private Path path;
  private byte[] content;

  @BeforeEach
  void writeFile() throws IOException {
    path = folder.resolve("f");
    content = new byte[40 * PAGE + 1234];
    new Random(42).nextBytes(content);
    Files.write(path, content);
    int fd = posix.open(path, OpenMode.READ_DIRECT);
    Assumptions.assumeFalse(fd == -Errno.EINVAL, "no O_DIRECT on the file system of " + folder);
    assertTrue(fd >= 0, "open: " + fd);
    posix.close(fd);
  }

  @AfterEach
  void nothingStaysOpen() {
    assertEquals(0, backend.openFiles());
  }

  @Test
  void theKernelSaysThatItIsDirect() throws IOException {
    int direct = Fixtures.directFlag();
    for (OpenMode mode : OpenMode.values()) {
      Path file = mode.creates() ? folder.resolve(mode.name()) : path;
      int fd = posix.open(file, mode);
      int flags = Fixtures.openFlags(Path.of("" + fd));
      assertEquals(0, posix.close(fd));
      assertEquals(mode.isDirect() ? direct : 0, flags & direct, mode + ": " + flags);
      assertEquals(mode.name().startsWith("READ") ? 0 : 1, flags & 3, mode + ": " + flags);
    }
  }

  @Test
  void readsIntoMappedMemoryPastThePageCache() throws IOException {
    ByteBuffer memory = posix.map(64 * PAGE);
    IoVector vector = posix.newVector(3);
    vector.add(memory, 50 * PAGE, 3 * PAGE);
    vector.add(memory, 0, 20 * PAGE);
    vector.add(memory, 60 * PAGE, PAGE);
    int plain = posix.open(path, OpenMode.READ);
    assertEquals(0, posix.fsync(plain));
    assertEquals(0, posix.fadvise(plain, 0, 0, Advice.DONTNEED));
    Assumptions.assumeFalse(isResident(), "the file is in memory alone");
    int fd = posix.open(path, OpenMode.READ_DIRECT);
    assertEquals(24 * PAGE, posix.preadv(fd, vector, 2 * PAGE));
    posix.close(fd);
    byte[] read = new byte[24 * PAGE];
    memory.get(50 * PAGE, read, 0, 3 * PAGE);
    memory.get(0, read, 3 * PAGE, 20 * PAGE);
    memory.get(60 * PAGE, read, 23 * PAGE, PAGE);
    assertArrayEquals(Arrays.copyOfRange(content, 2 * PAGE, 26 * PAGE), read);

    posix.close(plain);
    assertFalse(isResident(), "nothing of it has got into the page cache");
  }

  /**
   * Asks mincore, which reads nothing, about a part of the file. A read that doesn't wait may have
   * its bytes from a device that is quick.
   */
  private boolean isResident() throws IOException {
    try (FileChannel channel = FileChannel.open(path)) {
      return channel.map(FileChannel.MapMode.READ_ONLY, 3 * PAGE, 1).isLoaded();
    }
  }

  @Test
  void theTailIsAShortCountAndMisalignedRequestsAreRefused() {
    NativeBuffer buffer = posix.allocate(4 * PAGE, PAGE);
    int fd = posix.open(path, OpenMode.READ_DIRECT);
    assertEquals(1234, posix.pread(fd, buffer, 0, 2 * PAGE, 40 * PAGE));
    byte[] tail = new byte[1234];
    buffer.get(0, tail, 0, tail.length);
    assertArrayEquals(Arrays.copyOfRange(content, 40 * PAGE, content.length), tail);
    assertEquals(0, posix.pread(fd, buffer, 0, PAGE, 41 * PAGE));
    assertEquals(-Errno.EINVAL, posix.pread(fd, buffer, 0, PAGE, 1), "position");
    assertEquals(-Errno.EINVAL, posix.pread(fd, buffer, 0, PAGE + 1, 0), "length");
    assertEquals(-Errno.EINVAL, posix.pread(fd, buffer, 1, PAGE, 0), "address");
    posix.close(fd);
  }

  @Test
  void theAlignmentThatIsToldIsEnough() throws IOException {
    try (PosixFile file = backend.open(path, OpenMode.READ_DIRECT)) {
      int fd = posix.open(path, OpenMode.READ);
      long told = posix.directAlignment(fd);
      posix.close(fd);
      int larger = Math.max((int) (told >>> Integer.SIZE), (int) told);
      assertEquals(told > 0 ? larger : PAGE, file.alignment());
      assertEquals(1, Integer.bitCount(file.alignment()));
      int unit = file.alignment();
      NativeBuffer buffer = posix.allocate(3 * unit, unit);
      assertEquals(2 * unit, file.readFully(unit, buffer, 2 * unit, 2 * unit));
      byte[] read = new byte[2 * unit];
      buffer.get(0, read, 0, read.length);
      assertArrayEquals(Arrays.copyOfRange(content, unit, 3 * unit), read);
    }
  }

  @Test
  void filesReadToTheirEndAndNotFurther() throws IOException {
    ByteBuffer memory = posix.map(64 * PAGE);
    try (PosixFile file = backend.open(path, OpenMode.READ_DIRECT)) {
      assertTrue(file.isDirect());
      IoVector vector = posix.newVector(64);
      for (int i = 63; i >= 0; i--) {
        vector.add(memory, i * PAGE, PAGE);
      }
      file.readFully(0, vector, content.length, vector.length());
      assertEquals(64 * PAGE - content.length, vector.length());
      byte[] read = new byte[41 * PAGE];
      for (int i = 0; i < 41; i++) {
        memory.get((63 - i) * PAGE, read, i * PAGE, PAGE);
      }
      assertArrayEquals(content, Arrays.copyOf(read, content.length));
      vector.clear();
      vector.add(memory, 0, 4 * PAGE);
      EOFException e =
          assertThrows(
              EOFException.class, () -> file.readFully(40 * PAGE, vector, 1235, vector.length()));
      Fixtures.assertNames(e, 1, "position " + content.length);
      NativeBuffer buffer = posix.allocate(4 * PAGE, PAGE);
      assertEquals(PAGE + 1234, file.readFully(39 * PAGE, buffer, 1, 4 * PAGE));
    }
  }

  @Test
  void writesDirectly() throws IOException {
    Path created = folder.resolve("created");
    NativeBuffer buffer = posix.allocate(2 * PAGE, PAGE);
    buffer.put(0, content, 0, 2 * PAGE);
    try (PosixFile file = backend.open(created, OpenMode.CREATE_DIRECT)) {
      file.writeFully(0, buffer, 0, 2 * PAGE);
      IOException e =
          assertThrows(IOException.class, () -> file.writeFully(2 * PAGE, buffer, 0, 100));
      Fixtures.assertNames(e, "O_DIRECT");
      file.truncate(PAGE + 1);
      file.syncData();
    }
    assertArrayEquals(Arrays.copyOf(content, PAGE + 1), Files.readAllBytes(created));
    assertEquals(-Errno.EEXIST, posix.open(created, OpenMode.CREATE_DIRECT));
  }

  @Test
  void aFileSystemWithoutItIsTold() throws IOException {
    Path proc = Path.of("/proc/version");
    Assumptions.assumeTrue(Files.isReadable(proc), "no /proc to try it on");
    assertEquals(-Errno.EINVAL, posix.open(proc, OpenMode.READ_DIRECT));
    DirectIoUnsupportedException e =
        assertThrows(
            DirectIoUnsupportedException.class, () -> backend.open(proc, OpenMode.READ_DIRECT));
    assertTrue(e.getMessage().endsWith(": /proc/version"), e.getMessage());
    backend.open(proc, OpenMode.READ).close();
  }

  @Test
  void aBadDescriptorHasNoAlignment() {
    assertEquals(-Errno.EBADF, posix.directAlignment(12345));
  }
}
