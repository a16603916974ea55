/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.ffi;

import dev.pread.posix.MappedMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * Memory from {@code mmap(2)} as byte buffers.
 *
 * <p>A buffer is made from a segment of the global scope, which is never closed and keeps nothing
 * reachable. So the reachability of the first buffer itself, to which all slices, duplicates and
 * views of it refer, decides when the memory is unmapped. (Each access still loads the scope and
 * looks at its state, as with any buffer of a segment; only {@code allocateDirect} and {@code
 * FileChannel.map} make buffers without one.)
 */
@SuppressWarnings("restricted") // Giving an address a size is what this class is for.
final class FfmMemory extends MappedMemory {

  @Override
  protected ByteBuffer buffer(long address, int size) {
    return MemorySegment.ofAddress(address).reinterpret(size).asByteBuffer();
  }

  @Override
  public long address(ByteBuffer memory) {
    return MemorySegment.ofBuffer(memory).address() - memory.position();
  }

  @Override
  protected long mmap(long length) {
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
      return address == LinuxAbi.MAP_FAILED ? Errnos.negated(state) : address;
    } catch (Throwable t) {
      throw FfmSystemCalls.unexpected(t);
    }
  }

  @Override
  protected void munmap(long address, long length) {
    try {
      int ignored = (int) LinuxCalls.MUNMAP.invokeExact(address, length);
    } catch (Throwable t) {
      throw FfmSystemCalls.unexpected(t);
    }
  }

  @Override
  protected int madvise(long address, long length, MemoryAdvice advice) {
    int number = advice.number();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(Errnos.LAYOUT);
      int result = (int) LinuxCalls.MADVISE.invokeExact(state, address, length, number);
      return result >= 0 ? 0 : Errnos.negated(state);
    } catch (Throwable t) {
      throw FfmSystemCalls.unexpected(t);
    }
  }
}
