/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.grid;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.pread.benchmarks.machine.Libc;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** The whole file mapped as one segment, and nothing of Lucene around it. */
final class MappedSource implements Source {

  /**
   * Without errno, since capturing it costs an allocation, which would be a good part of what an
   * advice on resident pages costs.
   */
  @SuppressWarnings("restricted")
  private static final MethodHandle MADVISE =
      Linker.nativeLinker()
          .downcallHandle(
              Linker.nativeLinker().defaultLookup().find("madvise").orElseThrow(),
              FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT));

  private final Arena arena = Arena.ofShared();
  private final MemorySegment mapped;
  private final boolean prefetches;

  /**
   * @param advice for the whole mapping
   * @param prefetches whether readers ask for their blocks before they read them
   */
  MappedSource(Path file, int advice, boolean prefetches) throws IOException {
    this.prefetches = prefetches;
    boolean usable = false;
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      mapped = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), arena);
      Libc.madvise(mapped, advice);
      usable = true;
    } finally {
      if (!usable) {
        arena.close();
      }
    }
  }

  @Override
  public BlockReader reader() {
    return prefetches ? new Prefetching(mapped) : new Plain(mapped);
  }

  @Override
  public void close() {
    arena.close();
  }

  private record Plain(MemorySegment mapped) implements BlockReader {
    @Override
    public void read(long position, byte[] into) {
      MemorySegment.copy(mapped, JAVA_BYTE, position, into, 0, into.length);
    }
  }

  private record Prefetching(MemorySegment mapped) implements BlockReader {
    @Override
    public void read(long position, byte[] into) {
      MemorySegment.copy(mapped, JAVA_BYTE, position, into, 0, into.length);
    }

    /** Blocks begin at pages: an address that does not is refused. */
    @Override
    public void prefetch(long[] positions, int bytes) throws IOException {
      long address = mapped.address();
      for (long position : positions) {
        int result;
        try {
          result = (int) MADVISE.invokeExact(address + position, (long) bytes, Libc.WILLNEED);
        } catch (Throwable t) {
          throw new AssertionError(t);
        }
        if (result != 0) {
          throw new IOException("madvise(MADV_WILLNEED) of " + bytes + " at " + position);
        }
      }
    }
  }
}
