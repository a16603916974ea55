/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.ffi;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pread.BackendJvm;
import dev.pread.Fixtures;
import dev.pread.posix.Backend;
import dev.pread.posix.BackendRegistry;
import dev.pread.posix.Errno;
import dev.pread.posix.MappedMemory;
import dev.pread.posix.OpenMode;
import dev.pread.posix.PosixFile;
import dev.pread.posix.SystemCalls;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What still works in a process that has no room for one more object: in a JVM of its own. */
class FullHeapTest {

  private static final String SUCCESS = "closed";
  private static final long PAGE = 4 << 10;

  /** All there was left of the heap. */
  private static Object[] rest;

  @TempDir Path folder;

  /** What it runs; the argument is a folder with a file. */
  public static void main(String[] args) throws Exception {
    Path folder = Path.of(args[0]);
    Backend backend = BackendRegistry.get("ffm");
    backend.open(folder.resolve("f"), OpenMode.READ).close();
    PosixFile file = backend.open(folder.resolve("f"), OpenMode.READ);
    FfmMemory memory = new FfmMemory();
    long mapped = memory.mmap(PAGE);
    SystemCalls calls = backend.calls();
    long context = calls.ioSetup(1);
    fillHeap();
    file.close();
    int closed = calls.close(-1);
    memory.munmap(mapped, PAGE);
    int destroyed = calls.ioDestroy(context);
    int destroyedAgain = calls.ioDestroy(context);
    rest = null;
    assertEquals(0, Fixtures.descriptorsIn(folder));
    String unexplained = "that it has failed is known, and not why";
    assertEquals(-Errno.EIO, closed, unexplained);
    // It is harmless if somebody has mapped it again.
    int advised = memory.madvise(mapped, PAGE, MappedMemory.MemoryAdvice.NOT_INHERITED);
    assertEquals(-Errno.ENOMEM, advised, "nothing is mapped there");
    // There may be no queues on this machine.
    assertEquals(context < 0 ? -Errno.EIO : 0, destroyed);
    assertEquals(-Errno.EIO, destroyedAgain, unexplained);
    System.out.println(SUCCESS);
  }

  private static void fillHeap() {
    int size = 1 << 18;
    while (size > 0) {
      try {
        Object[] more = new Object[size];
        more[0] = rest;
        rest = more;
      } catch (OutOfMemoryError e) {
        size /= 2;
      }
    }
  }

  @Test
  void whatIsHeldIsGivenBack() throws Exception {
    Files.write(folder.resolve("f"), new byte[1]);
    String output =
        BackendJvm.run(
            Map.of(),
            List.of("--enable-native-access=ALL-UNNAMED", "-Xmx32m", "-XX:+UseSerialGC"),
            FullHeapTest.class,
            folder.toString());
    assertEquals(SUCCESS, output.strip());
  }
}
