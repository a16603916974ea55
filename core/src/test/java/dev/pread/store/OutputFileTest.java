/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pread.BackendTestCase;
import dev.pread.Fixtures;
import dev.pread.posix.Advice;
import dev.pread.posix.Errno;
import dev.pread.posix.FaultSystemCalls.Call;
import dev.pread.posix.FaultSystemCalls.Function;
import dev.pread.posix.OpenMode;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What has been written leaves memory when somebody else wants it. */
class OutputFileTest extends BackendTestCase {

  private static final int PIECE = 96 << 10;
  private static final int WRITE_BEHIND_SIZE = OutputFile.WRITE_BEHIND_SIZE;

  private boolean isShort;

  /** Writes a file in pieces, and returns what it has been advised. */
  private List<Call> write(byte[] data, OpenMode mode, int shortFrom) throws IOException {
    try (OutputFile file =
        new OutputFile(backend, backend.open(folder.resolve("f"), mode), () -> isShort)) {
      for (int at = 0; at < data.length; at += PIECE) {
        isShort = at >= shortFrom;
        file.write(at, data, at, Math.min(PIECE, data.length - at));
      }
      file.truncatePadding(data.length);
    }
    assertArrayEquals(data, Files.readAllBytes(folder.resolve("f")));
    return faults.calls(Function.FADVISE);
  }

  @Test
  void nothingIsHurriedAsLongAsThereIsMemory() throws IOException {
    byte[] data = Fixtures.randomBytes(1, 3 * WRITE_BEHIND_SIZE);
    assertEquals(List.of(), write(data, OpenMode.CREATE, Integer.MAX_VALUE));
  }

  @Test
  void stretchesAreWrittenBehindWhenMemoryIsShort() throws IOException {
    byte[] data = Fixtures.randomBytes(2, 5 * WRITE_BEHIND_SIZE);
    List<Call> advice = write(data, OpenMode.CREATE, 3 * WRITE_BEHIND_SIZE);
    long end = advice.get(0).position();
    for (Call call : advice) {
      assertEquals(Advice.DONTNEED, call.argument());
      assertEquals(end, call.position(), "each begins where the last one has ended");
      end += call.length();
    }
    assertEquals(2, advice.size(), "one for each that has been finished since: " + advice);
  }

  @Test
  void itIsNoErrorIfTheKernelRefuses() throws IOException {
    faults.on(Function.FADVISE).always().fail(Errno.EINVAL);
    assertEquals(
        1, write(Fixtures.randomBytes(3, WRITE_BEHIND_SIZE + PIECE), OpenMode.CREATE, 0).size());
  }

  /** There is nothing of it in the page cache. */
  @Test
  void directWritesNeedNone() throws IOException {
    faults.simulateDirect(4096);
    byte[] data = Fixtures.randomBytes(4, 2 * WRITE_BEHIND_SIZE + 5);
    assertEquals(List.of(), write(data, OpenMode.CREATE_DIRECT, 0));
  }
}
