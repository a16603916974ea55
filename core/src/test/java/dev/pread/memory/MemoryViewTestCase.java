/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pread.Fixtures;
import dev.pread.memory.MemoryView.Room;
import dev.pread.posix.SystemCalls;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** What a process finds out about its limits, on trees of files that are made up. */
abstract class MemoryViewTestCase {

  static final long GIB = 1 << 30;
  static final long ENODEV = 19;
  static final String NO_LIMIT_V1 = "9223372036854771712";

  @TempDir Path root;

  final SystemCalls calls = Fixtures.backend().calls();
  FakeKernel kernel;

  @BeforeEach
  void machineOf64GiB() throws IOException {
    kernel = new FakeKernel(root);
    kernel.machine(64 * GIB, 60 * GIB);
  }

  @AfterEach
  void nothingStaysOpen() throws IOException {
    assertEquals(0, Fixtures.descriptorsIn(root));
  }

  final long limit() {
    try (MemoryView view = MemoryView.find(calls, root)) {
      Room room = view.room();
      long limit = view.limits().tightest();
      assertEquals(limit, room == null ? MemoryLevel.UNLIMITED : room.limit());
      return limit;
    }
  }

  final String failure() {
    return new MemoryGovernor(root, () -> 0).limits(calls).failure();
  }

  final Room room() {
    try (MemoryView view = MemoryView.find(calls, root)) {
      return view.room();
    }
  }

  final void write(String path, String text) {
    try {
      kernel.write(path, text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Makes a file that is there and can't be opened, not even by root. */
  final void makeUnreadable(String path) throws IOException {
    Path file = root.resolve(path);
    Files.createDirectories(file.getParent());
    Files.deleteIfExists(file);
    Files.createSymbolicLink(file, file);
  }
}
