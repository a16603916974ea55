/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.ffi;

import dev.pread.posix.Errno;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Memory from {@code mmap(2)} as byte buffers.
 *
 * <p>A buffer is made from a segment of the global scope, which is never closed and keeps nothing
 * reachable: so it is the first buffer itself, which all slices, duplicates and views of it refer
 * to, whose reachability decides when the memory is unmapped. (Each access still loads the scope
 * and looks at its state, as with any buffer of a segment; only {@code allocateDirect} and {@code
 * FileChannel.map} make buffers without one.)
 */
@SuppressWarnings("restricted") // Giving an address a size is what this class is for.
final class FfmMemory {

  /** Where memory starts: the size of a huge page on x86-64 and, with 4 KiB pages, on aarch64. */
  private static final long ALIGNMENT = 2L << 20;

  /** The largest page size of both architectures: a multiple of it is a multiple of any. */
  private static final long LARGEST_PAGE = 64 << 10;

  /** Made, with its thread, when the first memory is mapped. */
  private static final Cleaner CLEANER = Cleaner.create();

  private FfmMemory() {}

  /** Unmaps; knows nothing of the buffer, which it would keep reachable. */
  private record Unmapping(long address, long length) implements Runnable {
    @Override
    public void run() {
      unmap(address, length);
    }
  }

  /** See {@link dev.pread.posix.Posix#map}. */
  static ByteBuffer map(int size) {
    if (size < 1) {
      throw new IllegalArgumentException("at least one byte has to be mapped, got " + size);
    }
    long length = Math.ceilDiv((long) size, LARGEST_PAGE) * LARGEST_PAGE;
    long start = mmap(size, length + ALIGNMENT);
    long address = Math.ceilDiv(start, ALIGNMENT) * ALIGNMENT;
    // What juts out. Where it can't be unmapped it stays, unused and without memory behind it.
    unmap(start, address - start);
    unmap(address + length, start + ALIGNMENT - address);
    // Only advice: without huge pages it is slower and not wrong.
    madvise(address, length, LinuxAbi.MADV_HUGEPAGE);
    ByteBuffer buffer = MemorySegment.ofAddress(address).reinterpret(size).asByteBuffer();
    try {
      CLEANER.register(buffer, new Unmapping(address, length));
    } catch (Throwable t) {
      unmap(address, length);
      throw t;
    }
    return buffer.order(ByteOrder.LITTLE_ENDIAN);
  }

  /** See {@link dev.pread.posix.Posix#discard}. */
  static int discard(ByteBuffer mapped) {
    try {
      return madvise(address(mapped), mapped.capacity(), LinuxAbi.MADV_DONTNEED);
    } finally {
      Reference.reachabilityFence(mapped);
    }
  }

  /** Where a direct buffer's first byte is, whatever its position. */
  static long address(ByteBuffer memory) {
    return MemorySegment.ofBuffer(memory).address() - memory.position();
  }

  private static long mmap(int size, long length) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(Errnos.LAYOUT);
      long address =
          (long)
              LinuxCalls.MMAP.invokeExact(
                  state,
                  0L,
                  length,
                  LinuxAbi.PROT_READ | LinuxAbi.PROT_WRITE,
                  LinuxAbi.MAP_PRIVATE | LinuxAbi.MAP_ANONYMOUS | LinuxAbi.MAP_NORESERVE,
                  -1,
                  0L);
      if (address == LinuxAbi.MAP_FAILED) {
        throw new OutOfMemoryError(
            "mmap of "
                + size
                + " bytes ("
                + length
                + " with the room to align them) failed with "
                + Errno.describe(-Errnos.negated(state))
                + ": ask for less, or raise what limits this process's address space (ulimit -v,"
                + " vm.overcommit_memory, vm.max_map_count)");
      }
      return address;
    } catch (Throwable t) {
      throw FfmPosix.unexpected(t);
    }
  }

  private static void unmap(long address, long length) {
    if (length == 0) {
      return;
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(Errnos.LAYOUT);
      // Fails only where the kernel can't split a mapping; the range then stays mapped.
      int ignored = (int) LinuxCalls.MUNMAP.invokeExact(state, address, length);
    } catch (Throwable t) {
      throw FfmPosix.unexpected(t);
    }
  }

  private static int madvise(long address, long length, int advice) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(Errnos.LAYOUT);
      int result = (int) LinuxCalls.MADVISE.invokeExact(state, address, length, advice);
      return result >= 0 ? 0 : Errnos.negated(state);
    } catch (Throwable t) {
      throw FfmPosix.unexpected(t);
    }
  }
}
