/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.grid;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.pread.benchmarks.machine.Libc;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/**
 * {@code pread(2)} into native memory and a copy, from one descriptor for all threads: through the
 * page cache or past it.
 */
final class PreadSource implements Source {
  private static final int ALIGNMENT = 4096;

  private final Arena arena = Arena.ofShared();
  private final int bytes;
  private final int fd;

  /**
   * @param flags to open the file with
   * @param bytes of a block; with {@code O_DIRECT} a multiple of what the device wants
   */
  PreadSource(Path file, int flags, int bytes) throws IOException {
    this.bytes = bytes;
    this.fd = Libc.open(file, flags);
  }

  @Override
  public BlockReader reader() {
    return new Reader(fd, arena.allocate(bytes, ALIGNMENT));
  }

  @Override
  public void close() throws IOException {
    arena.close();
    Libc.close(fd);
  }

  private record Reader(int fd, MemorySegment buffer) implements BlockReader {
    @Override
    public void read(long position, byte[] into) throws IOException {
      Libc.pread(fd, buffer.address(), into.length, position);
      MemorySegment.copy(buffer, JAVA_BYTE, 0, into, 0, into.length);
    }
  }
}
