/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.Fixtures;
import dev.pread.posix.FaultSystemCalls.Call;
import dev.pread.posix.FaultSystemCalls.Function;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The fault backend does what its script says: the other tests rely on it. */
class FaultSystemCallsTest {

  @TempDir Path folder;

  private final FaultSystemCalls posix = Fixtures.faults();

  private static void assertFigures(
      List<Call> calls, ToLongFunction<Call> figure, long... expected) {
    assertArrayEquals(expected, calls.stream().mapToLong(figure).toArray(), calls.toString());
  }

  @Test
  void passesOnWhatNoRuleMatchesAndRecordsIt() throws Exception {
    Path path = Files.write(folder.resolve("f"), new byte[] {1, 2, 3});
    NativeBuffer buffer = posix.allocate(16, 8);
    int fd = posix.open(path, OpenMode.READ);
    assertEquals(3, posix.pread(fd, buffer, 0, 16, 0));
    assertEquals(2, posix.pread(fd, buffer, 8, 2, 1));
    assertEquals(0, posix.close(fd));
    byte[] bytes = new byte[2];
    buffer.get(8, bytes, 0, 2);
    assertArrayEquals(new byte[] {2, 3}, bytes);
    List<Call> calls = posix.calls();
    assertEquals(
        List.of(Function.OPEN, Function.PREAD, Function.PREAD, Function.CLOSE),
        calls.stream().map(Call::function).toList());
    assertFigures(calls, Call::number, 1, 1, 2, 1);
    assertFigures(calls, Call::position, 0, 0, 1, 0);
    assertFigures(calls, Call::length, 0, 16, 2, 0);
    assertFigures(calls, Call::result, fd, 3, 2, 0);
    assertTrue(calls.stream().allMatch(call -> call.path().equals(path)), calls.toString());
    assertEquals(OpenMode.READ, calls.get(0).argument());
    assertNull(calls.get(1).argument());
    assertEquals(4, posix.count());
    assertEquals(2, posix.count(Function.PREAD));
    posix.forget();
    assertEquals(0, posix.count());
    assertEquals(List.of(), posix.calls());
  }

  @Test
  void followsTheScript() throws Exception {
    Path path = Files.write(folder.resolve("f"), new byte[100]);
    NativeBuffer buffer = posix.allocate(100, 8);
    int fd = posix.open(path, OpenMode.READ);
    posix.on(Function.PREAD).at(2).fail(Errno.EIO);
    posix.on(Function.PREAD).every(3).transferAtMost(7);
    posix.on(Function.PREAD).from(7).answer(0);
    long[] expected = {100, -Errno.EIO, 7, 100, 100, 7, 0, 0, 7};
    for (int i = 0; i < expected.length; i++) {
      assertEquals(expected[i], posix.pread(fd, buffer, 0, 100, 0), "call " + (i + 1));
    }
    posix.calm();
    assertEquals(100, posix.pread(fd, buffer, 0, 100, 0));
    posix
        .on(Function.PREAD)
        .always()
        .first(
            () -> {
              throw new IllegalStateException("by script");
            });
    assertThrows(IllegalStateException.class, () -> posix.pread(fd, buffer, 0, 100, 0));
    assertEquals(0, posix.close(fd));
  }

  @Test
  void randomFaultsDependOnTheSeedAlone() {
    assertEquals(randomFaults(1), randomFaults(1));
    long faults = randomFaults(2).stream().filter(r -> r != 0).count();
    assertTrue(faults > 190 && faults < 310, faults + " of 1000 with probability 1/4");
  }

  private static List<Integer> randomFaults(long seed) {
    FaultSystemCalls posix = Fixtures.faults().withoutRecord();
    posix.on(Function.FSYNC).randomly(seed, 0.25).fail(Errno.EINTR);
    posix.on(Function.FSYNC).always().answer(0);
    List<Integer> results =
        java.util.stream.IntStream.range(0, 1000).mapToObj(i -> posix.fsync(0)).toList();
    assertEquals(List.of(), posix.calls());
    assertEquals(1000, posix.count(Function.FSYNC));
    return results;
  }

  @Test
  void failingCloseClosesTheRealDescriptor() throws Exception {
    Path path = Files.write(folder.resolve("f"), new byte[1]);
    posix.on(Function.CLOSE).always().fail(Errno.EIO);
    int fd = posix.open(path, OpenMode.READ);
    boolean proc = Files.isDirectory(Path.of("/proc/self/fd"));
    assertEquals(proc, Fixtures.descriptorsIn(folder) > 0, "is open");
    assertEquals(-Errno.EIO, posix.close(fd));
    assertEquals(0, Fixtures.descriptorsIn(folder));
    assertNull(posix.calls(Function.CLOSE).get(0).argument());
  }

  @Test
  void cutsVectorsAndLeavesThemAsTheyAre() throws Exception {
    Path path = Files.write(folder.resolve("f"), new byte[] {1, 2, 3, 4, 5, 6, 7, 8});
    NativeBuffer buffer = posix.allocate(16, 8);
    IoVector vector = posix.newVector(3);
    vector.add(buffer.bytes(), 0, 2);
    vector.add(buffer.bytes(), 8, 3);
    vector.add(buffer.bytes(), 4, 3);
    posix.on(Function.PREADV).at(1).transferAtMost(4);
    posix.on(Function.PREADV).at(2).instead(() -> 77);
    int fd = posix.open(path, OpenMode.READ);
    assertEquals(4, posix.preadv(fd, vector, 1));
    byte[] bytes = new byte[16];
    buffer.get(0, bytes, 0, 16);
    assertArrayEquals(new byte[] {2, 3, 0, 0, 0, 0, 0, 0, 4, 5, 0, 0, 0, 0, 0, 0}, bytes);
    assertEquals(3, vector.size());
    assertEquals(8, vector.length());
    assertEquals(77, posix.preadv(fd, vector, 1));
    assertEquals(7, posix.preadv(fd, vector, 1));
    List<Call> calls = posix.calls(Function.PREADV);
    assertFigures(calls, Call::position, 1, 1, 1);
    assertFigures(calls, Call::length, 8, 8, 8);
    assertFigures(calls, Call::result, 4, 77, 7);
    posix.close(fd);
  }

  @Test
  void simulatesDirectFiles() throws Exception {
    Path path = Files.write(folder.resolve("f"), new byte[100]);
    posix.simulateDirect(32);
    NativeBuffer buffer = posix.allocate(128, 32);
    int fd = posix.open(path, OpenMode.READ_DIRECT);
    assertEquals(32, posix.pread(fd, buffer, 0, 32, 64));
    assertEquals(4, posix.pread(fd, buffer, 32, 96, 96), "cut at the end of the file");
    assertEquals(-Errno.EINVAL, posix.pread(fd, buffer, 0, 32, 8), "position");
    assertEquals(-Errno.EINVAL, posix.pread(fd, buffer, 0, 33, 0), "length");
    assertEquals(-Errno.EINVAL, posix.pread(fd, buffer, 8, 32, 0), "address");
    IoVector vector = posix.newVector(2);
    vector.add(buffer.bytes(), 96, 32);
    vector.add(buffer.bytes(), 0, 64);
    assertEquals(96, posix.preadv(fd, vector, 0));
    vector.skip(4);
    assertEquals(-Errno.EINVAL, posix.preadv(fd, vector, 0));
    assertEquals(4L << Integer.SIZE | 32, posix.directAlignment(fd));
    assertEquals(0, posix.close(fd));
    fd = posix.open(path, OpenMode.READ);
    assertEquals(33, posix.pread(fd, buffer, 1, 33, 3), "the same number, not direct");
    posix.close(fd);
    fd = posix.open(folder.resolve("created"), OpenMode.CREATE_DIRECT);
    assertEquals(-Errno.EINVAL, posix.pwrite(fd, buffer, 0, 1, 0));
    assertEquals(64, posix.pwrite(fd, buffer, 64, 64, 32));
    posix.close(fd);
  }
}
