/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.grid;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.pread.benchmarks.machine.Libc;
import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Copies out of anonymous memory in huge pages that holds the whole file: what no way to read it
 * can beat. The memory is mapped by itself, not allocated: what an arena allocates is cleared,
 * hence in small pages, before anyone can ask for huge ones.
 */
final class CopySource implements Source {
  private static final long HUGE = 2L << 20;
  private static final int READ_WRITE = 3;
  private static final int PRIVATE_ANONYMOUS = 0x22;
  private static final int CHUNK = 1 << 20;

  private static final MethodHandle MMAP =
      handle(
          "mmap",
          FunctionDescriptor.of(
              JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG));
  private static final MethodHandle MUNMAP =
      handle("munmap", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG));

  private final long base;
  private final long length;
  private final MemorySegment memory;

  CopySource(Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      long size = channel.size();
      length = size + 2 * HUGE;
      base = map(length);
      long begin = (base + HUGE - 1) / HUGE * HUGE;
      memory = segment(begin, size);
      boolean usable = false;
      try {
        Libc.madvise(begin, (size + HUGE - 1) / HUGE * HUGE, Libc.MADV_HUGEPAGE);
        for (long offset = 0; offset < size; ) {
          int part = (int) Math.min(CHUNK, size - offset);
          int n = channel.read(memory.asSlice(offset, part).asByteBuffer(), offset);
          if (n <= 0) {
            throw new IOException(file + " ends at " + offset + " of " + size);
          }
          offset += n;
        }
        usable = true;
      } finally {
        if (!usable) {
          close();
        }
      }
    }
  }

  @SuppressWarnings("restricted")
  private static MethodHandle handle(String name, FunctionDescriptor type) {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(linker.defaultLookup().find(name).orElseThrow(), type);
  }

  private static long map(long bytes) throws IOException {
    long address;
    try {
      address = (long) MMAP.invokeExact(0L, bytes, READ_WRITE, PRIVATE_ANONYMOUS, -1, 0L);
    } catch (Throwable t) {
      throw new AssertionError(t);
    }
    if (address == -1) {
      throw new IOException("mmap of " + bytes + " bytes of memory failed");
    }
    return address;
  }

  @SuppressWarnings("restricted")
  private static MemorySegment segment(long address, long size) {
    return MemorySegment.ofAddress(address).reinterpret(size);
  }

  @Override
  public BlockReader reader() {
    return new Reader(memory);
  }

  @Override
  public void close() throws IOException {
    int result;
    try {
      result = (int) MUNMAP.invokeExact(base, length);
    } catch (Throwable t) {
      throw new AssertionError(t);
    }
    if (result != 0) {
      throw new IOException("munmap of " + length + " bytes failed");
    }
  }

  private record Reader(MemorySegment memory) implements BlockReader {
    @Override
    public void read(long position, byte[] into) {
      MemorySegment.copy(memory, JAVA_BYTE, position, into, 0, into.length);
    }
  }
}
