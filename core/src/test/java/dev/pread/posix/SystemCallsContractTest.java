/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.Fixtures;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What each {@link SystemCalls} promises, on the backend of this run. */
class SystemCallsContractTest {

  @TempDir Path folder;

  private final SystemCalls posix = Fixtures.backend().calls();
  private final NativeBuffer buffer = posix.allocate(8192, 4096);

  @AfterEach
  void noDescriptorIsLeft() throws Exception {
    assertEquals(0, Fixtures.descriptorsIn(folder));
  }

  @Test
  void openModes() throws Exception {
    Path missing = folder.resolve("missing");
    assertEquals(-Errno.ENOENT, posix.open(missing, OpenMode.READ));
    assertEquals(-Errno.ENOENT, posix.open(missing, OpenMode.WRITE));
    assertTrue(Files.notExists(missing), "WRITE and READ create nothing");
    Path file = folder.resolve("file");
    close(posix.open(file, OpenMode.CREATE));
    assertEquals(0, Files.size(file));
    assertEquals(-Errno.EEXIST, posix.open(file, OpenMode.CREATE));
    Files.write(file, new byte[] {1, 2});
    close(posix.open(file, OpenMode.WRITE));
    assertEquals(2, Files.size(file), "WRITE truncates nothing");
    assertEquals(-Errno.EEXIST, posix.open(folder, OpenMode.CREATE));
    assertEquals(-Errno.EISDIR, posix.open(folder, OpenMode.WRITE));
    int notBelowAFile = posix.open(file.resolve("child"), OpenMode.READ);
    // Newer JDKs do not tell the two apart.
    assertTrue(
        notBelowAFile == -Errno.ENOTDIR
            || (posix.name().equals("channel") && notBelowAFile == -Errno.ENOENT),
        "open: " + notBelowAFile);
    assertEquals(-Errno.ENOENT, posix.open(missing.resolve("child"), OpenMode.CREATE));
    assertEquals(-Errno.ENAMETOOLONG, posix.open(folder.resolve("x".repeat(256)), OpenMode.READ));
    assertEquals(-Errno.ENAMETOOLONG, posix.open(folder.resolve("x".repeat(256)), OpenMode.CREATE));
    Path loop = folder.resolve("loop");
    Files.createSymbolicLink(loop, loop);
    assertEquals(-Errno.ELOOP, posix.open(loop, OpenMode.READ));
  }

  @Test
  void createdFilesArePrivateToNobodyButTheUmask() throws Exception {
    close(posix.open(folder.resolve("ours"), OpenMode.CREATE));
    Files.createFile(folder.resolve("javas"));
    assertEquals(
        Files.getPosixFilePermissions(folder.resolve("javas")),
        Files.getPosixFilePermissions(folder.resolve("ours")));
  }

  @Test
  void readsWhatIsThereAndZeroAtTheEnd() throws Exception {
    byte[] bytes = Fixtures.randomBytes(1, 5000);
    int fd = posix.open(Files.write(folder.resolve("f"), bytes), OpenMode.READ);
    assertEquals(5000, posix.pread(fd, buffer, 100, 8092, 0));
    assertArrayEquals(bytes, copy(100, 5000));
    assertEquals(7, posix.pread(fd, buffer, 3, 7, 4990));
    assertArrayEquals(Arrays.copyOfRange(bytes, 4990, 4997), copy(3, 7));
    assertEquals(0, posix.pread(fd, buffer, 0, 10, 5000));
    assertEquals(0, posix.pread(fd, buffer, 0, 10, 1L << 40));
    assertEquals(-Errno.EBADF, posix.pwrite(fd, buffer, 0, 1, 0), "open for reading");
    close(fd);
  }

  @Test
  void writesWhereItIsTold() throws Exception {
    Path file = folder.resolve("f");
    int fd = posix.open(file, OpenMode.CREATE);
    buffer.put(10, new byte[] {1, 2, 3, 4}, 0, 4);
    assertEquals(2, posix.pwrite(fd, buffer, 12, 2, 6));
    assertEquals(2, posix.pwrite(fd, buffer, 10, 2, 0));
    assertArrayEquals(new byte[] {1, 2, 0, 0, 0, 0, 3, 4}, Files.readAllBytes(file));
    assertEquals(-Errno.EBADF, posix.pread(fd, buffer, 0, 1, 0), "open for writing");
    assertEquals(0, posix.fsync(fd));
    assertEquals(0, posix.fdatasync(fd));
    assertEquals(0, posix.ftruncate(fd, 7));
    assertArrayEquals(new byte[] {1, 2, 0, 0, 0, 0, 3}, Files.readAllBytes(file));
    assertEquals(0, posix.ftruncate(fd, 9));
    assertEquals(9, Files.size(file));
    close(fd);
  }

  private static long nanos(Path file, String time) throws Exception {
    return ((FileTime) Files.getAttribute(file, time)).to(TimeUnit.NANOSECONDS);
  }

  @Test
  void fstatTellsOfTheOpenFileAndNotOfThePath() throws Exception {
    Path file = Files.write(folder.resolve("f"), new byte[123]);
    int fd = posix.open(file, OpenMode.READ);
    Files.delete(file);
    Files.write(file, new byte[7]);
    FileStat stat = new FileStat();
    assertEquals(0, posix.fstat(fd, stat));
    assertEquals(FileStat.Kind.REGULAR, stat.kind());
    assertEquals(123, stat.size());
    int other = posix.open(file, OpenMode.READ);
    assertNotEquals(fd, other);
    FileStat otherStat = new FileStat();
    assertEquals(0, posix.fstat(other, otherStat));
    assertEquals(7, otherStat.size());
    if (posix.name().equals("channel")) {
      assertEquals(0, stat.inode(), "the JDK does not tell");
      assertEquals(0, stat.modifiedNanos());
      assertEquals(0, stat.changedNanos());
    } else {
      assertNotEquals(stat.inode(), otherStat.inode());
      assertEquals(Files.getAttribute(file, "unix:ino"), otherStat.inode());
      assertEquals(Files.getAttribute(file, "unix:dev"), otherStat.device());
      assertEquals(nanos(file, "unix:lastModifiedTime"), otherStat.modifiedNanos());
      assertEquals(nanos(file, "unix:ctime"), otherStat.changedNanos());
    }
    close(fd);
    close(other);
    int directory = posix.open(folder, OpenMode.READ);
    assertEquals(0, posix.fstat(directory, stat));
    assertEquals(FileStat.Kind.DIRECTORY, stat.kind());
    close(directory);
  }

  @Test
  void adviceAndLooksAnswerOrSayThatTheyCannot() throws Exception {
    int fd = posix.open(Files.write(folder.resolve("f"), new byte[4096]), OpenMode.READ);
    boolean channel = posix.name().equals("channel");
    for (Advice advice : Advice.values()) {
      assertEquals(channel ? -Errno.ENOSYS : 0, posix.fadvise(fd, 0, 0, advice), advice.name());
    }
    long n = posix.preadNoWait(fd, buffer, 0, 1, 0);
    if (channel) {
      assertEquals(-Errno.ENOSYS, n);
    } else {
      assertTrue(
          n == 1 || n == -Errno.EAGAIN || n == -Errno.EOPNOTSUPP || n == -Errno.ENOSYS,
          "preadNoWait: " + n);
    }
    close(fd);
  }

  @Test
  void arraysTakeWhatIsResidentOrAreRefused() throws Exception {
    byte[] bytes = Fixtures.randomBytes(4, 5000);
    int fd = posix.open(Files.write(folder.resolve("f"), bytes), OpenMode.READ);
    byte[] read = new byte[6000];
    long n = posix.preadNoWait(fd, read, 7, 5500, 10);
    if (posix.name().equals("jni") && Runtime.version().feature() >= 25) {
      // The bytes have just been written; what the kernel has dropped since then makes it less.
      assertTrue(n == -Errno.EAGAIN || n == -Errno.EOPNOTSUPP || (n > 0 && n <= 4990), "" + n);
      assertEquals(-Errno.EBADF, posix.preadNoWait(1 << 20, read, 0, 1, 0));
      assertThrows(IndexOutOfBoundsException.class, () -> posix.preadNoWait(fd, read, 1, 6000, 0));
      assertThrows(IndexOutOfBoundsException.class, () -> posix.preadNoWait(fd, read, -1, 1, 0));
    } else {
      // Before Java 25 the JVM may run out of memory beside such reads, however much there is.
      assertEquals(-Errno.ENOSYS, n);
    }
    byte[] expected = new byte[6000];
    System.arraycopy(bytes, 10, expected, 7, (int) Math.max(0, n));
    assertArrayEquals(expected, read, "nothing else is touched");
    close(fd);
  }

  @Test
  void descriptorsThatAreNotOpenAreRefused() throws Exception {
    int fd = posix.open(Files.write(folder.resolve("f"), new byte[1]), OpenMode.READ);
    close(fd);
    for (int bad : new int[] {-1, fd, 1 << 20}) {
      assertEquals(-Errno.EBADF, posix.pread(bad, buffer, 0, 1, 0));
      assertEquals(-Errno.EBADF, posix.pwrite(bad, buffer, 0, 1, 0));
      assertEquals(-Errno.EBADF, posix.ftruncate(bad, 0));
      assertEquals(-Errno.EBADF, posix.fsync(bad));
      assertEquals(-Errno.EBADF, posix.fdatasync(bad));
      assertEquals(-Errno.EBADF, posix.fstat(bad, new FileStat()));
      assertEquals(-Errno.EBADF, posix.close(bad));
    }
  }

  @Test
  void buffersAreAlignedNativeAndLittleEndian() {
    for (int alignment : new int[] {1, 64, 4096}) {
      for (int size : new int[] {8, 4096, 65536}) {
        NativeBuffer b = posix.allocate(size, alignment);
        assertEquals(size, b.size());
        assertEquals(0, b.bytes().alignmentOffset(0, alignment));
        b.put(0, new byte[] {1, 2, 3, 4, 5, 6, 7, (byte) 0x80}, 0, 8);
        long[] longs = new long[2];
        b.getLongs(0, longs, 1, 1);
        assertEquals(0x8007060504030201L, longs[1]);
        int[] ints = new int[2];
        b.getInts(0, ints, 0, 2);
        assertArrayEquals(new int[] {0x04030201, 0x80070605}, ints);
        float[] floats = new float[1];
        b.getFloats(0, floats, 0, 1);
        assertEquals(Float.intBitsToFloat(0x04030201), floats[0]);
      }
    }
  }

  @Test
  void mappedMemoryIsZeroedAlignedNativeAndLittleEndian() {
    for (int size : new int[] {1, 4096, 70_001, 3 << 20}) {
      ByteBuffer memory = posix.map(size);
      assertEquals(size, memory.capacity());
      assertEquals(0, memory.position());
      assertEquals(size, memory.limit());
      assertTrue(memory.isDirect());
      assertEquals(ByteOrder.LITTLE_ENDIAN, memory.order());
      int alignment = posix.name().equals("channel") ? 4096 : 2 << 20;
      assertEquals(0, memory.alignmentOffset(0, alignment), memory.toString());
      for (int i = 0; i < size; i++) {
        if (memory.get(i) != 0) {
          throw new AssertionError("byte " + i + " of new memory is " + memory.get(i));
        }
      }
      memory.put(size - 1, (byte) 1);
    }
    assertThrows(IllegalArgumentException.class, () -> posix.map(0));
    assertThrows(IllegalArgumentException.class, () -> posix.map(-1));
  }

  @Test
  void callsReadIntoAndWriteFromMappedMemory() throws Exception {
    byte[] bytes = Fixtures.randomBytes(3, 5000);
    Path file = Files.write(folder.resolve("f"), bytes);
    ByteBuffer memory = posix.map(20_000);
    ByteBuffer part = memory.slice(4096, 8192);
    part.position(100).limit(200);
    NativeBuffer wrapped = posix.wrap(part);
    assertEquals(8192, wrapped.size());
    assertEquals(100, part.position(), "not changed");
    int fd = posix.open(file, OpenMode.READ);
    assertEquals(3000, posix.pread(fd, wrapped, 1000, 3000, 7));
    close(fd);
    byte[] read = new byte[3000];
    memory.get(4096 + 1000, read);
    assertArrayEquals(Arrays.copyOfRange(bytes, 7, 3007), read);
    assertEquals(0, memory.get(4096 + 999));
    assertEquals(0, memory.get(4096 + 4000));
    assertEquals(-Errno.EBADF, posix.pread(Integer.MAX_VALUE, wrapped, 0, 1, 0));
    Path copy = folder.resolve("copy");
    fd = posix.open(copy, OpenMode.CREATE);
    assertEquals(3000, posix.pwrite(fd, wrapped, 1000, 3000, 0));
    close(fd);
    assertArrayEquals(read, Files.readAllBytes(copy));
  }

  @Test
  void discardedMemoryStaysUsable() {
    ByteBuffer memory = posix.map(1 << 20);
    memory.putLong(0, 42).position(100).limit(200);
    assertEquals(posix.name().equals("channel") ? -Errno.ENOSYS : 0, posix.discard(memory));
    assertEquals(100, memory.position(), "not changed");
    memory.clear();
    memory.putLong((1 << 20) - 8, 43);
    assertEquals(43, memory.getLong((1 << 20) - 8));
    memory.putLong(0, 44);
    assertEquals(44, memory.getLong(0));
  }

  @Test
  void preadvFillsThePiecesInTheirOrder() throws Exception {
    byte[] bytes = Fixtures.randomBytes(2, 5000);
    int fd = posix.open(Files.write(folder.resolve("f"), bytes), OpenMode.READ);
    ByteBuffer memory = posix.map(10_000);
    IoVector vector = posix.newVector(3);
    vector.add(memory, 9000, 1000);
    vector.add(buffer.bytes(), 17, 100);
    vector.add(memory, 1, 2000);
    assertEquals(3100, posix.preadv(fd, vector, 5));
    byte[] read = new byte[3100];
    memory.get(9000, read, 0, 1000);
    buffer.get(17, read, 1000, 100);
    memory.get(1, read, 1100, 2000);
    assertArrayEquals(Arrays.copyOfRange(bytes, 5, 3105), read);
    assertEquals(3, vector.size(), "a call does not change it");

    assertEquals(1050, posix.preadv(fd, vector, 3950), "short at the end of the file");
    assertEquals(0, posix.preadv(fd, vector, 5000));
    assertEquals(0, posix.preadv(fd, vector, 1L << 40));
    vector.clear();
    assertEquals(0, posix.preadv(fd, vector, 0));
    vector.add(memory, 0, 1);
    close(fd);
    assertEquals(-Errno.EBADF, posix.preadv(fd, vector, 0));
    int writable = posix.open(folder.resolve("f"), OpenMode.WRITE);
    assertEquals(-Errno.EBADF, posix.preadv(writable, vector, 0));
    close(writable);
  }

  @Test
  void preadvTakesNoNoticeOfInterrupts() throws Exception {
    byte[] bytes = Fixtures.randomBytes(3, 1000);
    int fd = posix.open(Files.write(folder.resolve("f"), bytes), OpenMode.READ);
    IoVector vector = posix.newVector(10);
    for (int i = 0; i < 10; i++) {
      // Buffers of their own, since neighbours would become one piece.
      vector.add(buffer.bytes().duplicate(), i * 100, 100);
    }
    Thread.currentThread().interrupt();
    assertEquals(1000, posix.preadv(fd, vector, 0));
    assertTrue(Thread.interrupted(), "still pending");
    assertArrayEquals(bytes, copy(0, 1000));
    assertEquals(1000, posix.preadv(fd, vector, 0), "and not closed by it");
    close(fd);
  }

  @Test
  void directModesOpenOrAreRefused() throws Exception {
    Path file = Files.write(folder.resolve("f"), new byte[] {1});
    Path created = folder.resolve("created");
    assertEquals(-Errno.ENOENT, posix.open(folder.resolve("missing"), OpenMode.READ_DIRECT));
    assertEquals(-Errno.EEXIST, posix.open(file, OpenMode.CREATE_DIRECT));
    assertEquals(1, Files.size(file));
    for (int fd :
        new int[] {
          posix.open(file, OpenMode.READ_DIRECT), posix.open(created, OpenMode.CREATE_DIRECT)
        }) {
      if (posix.name().equals("channel")) {
        assertEquals(-Errno.EINVAL, fd);
      } else if (fd != -Errno.EINVAL) {
        close(fd);
      }
    }
    assertEquals(0, Files.size(created), "created even where it is refused then");
  }

  @Test
  void directAlignmentIsToldOrNot() throws Exception {
    int fd = posix.open(Files.write(folder.resolve("f"), new byte[1]), OpenMode.READ);
    long result = posix.directAlignment(fd);
    if (result >= 0) {
      assertNotEquals("channel", posix.name());
      assertEquals(result >>> Integer.SIZE == 0, (int) result == 0, "statx: " + result);
    } else {
      assertTrue(
          result == -Errno.ENOSYS
              || (result == -Errno.EOPNOTSUPP && !posix.name().equals("channel")),
          "statx: " + result);
    }
    close(fd);
  }

  private void close(int fd) {
    assertTrue(fd >= 0, () -> "open failed with " + Errno.describe(-fd));
    assertEquals(0, posix.close(fd));
  }

  private byte[] copy(int offset, int length) {
    byte[] bytes = new byte[length];
    buffer.get(offset, bytes, 0, length);
    return bytes;
  }
}
