/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.ffi;

import dev.pread.posix.NativeBuffer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;

/**
 * A buffer that carries what a call needs besides the bytes, so that a call allocates nothing: its
 * address, room for the errno of this call and no other, and an {@code iovec}.
 *
 * <p>Unless it is over mapped memory, all of it is one allocation. The garbage collector releases
 * it. Whoever passes only the address to a call must keep the buffer reachable until the call
 * returns.
 */
final class FfmBuffer extends NativeBuffer {

  private static final long TAIL_ALIGNMENT = 16;

  /** Where in the tail the {@code iovec} is: behind the errno. */
  private static final long IOVEC_START =
      Math.ceilDiv(Errnos.LAYOUT.byteSize(), TAIL_ALIGNMENT) * TAIL_ALIGNMENT;

  private static final long TAIL_SIZE = IOVEC_START + LinuxAbi.IOVEC_SIZE;

  private final long address;
  private final MemorySegment callState;
  private final MemorySegment iovec;

  /**
   * @param bytes all between position and limit
   * @param tail room for the errno and the {@code iovec}
   */
  private FfmBuffer(ByteBuffer bytes, MemorySegment tail) {
    super(bytes);
    this.address = MemorySegment.ofBuffer(bytes).address();
    this.callState = tail.asSlice(0, Errnos.LAYOUT.byteSize());
    this.iovec = tail.asSlice(IOVEC_START, LinuxAbi.IOVEC_SIZE);
  }

  static FfmBuffer allocate(int size, int alignment) {
    // The tail lies behind the bytes, on a boundary that suits both.
    long tail = Math.ceilDiv((long) size, TAIL_ALIGNMENT) * TAIL_ALIGNMENT;
    MemorySegment all =
        Arena.ofAuto().allocate(tail + TAIL_SIZE, Math.max(alignment, TAIL_ALIGNMENT));
    return new FfmBuffer(all.asSlice(0, size).asByteBuffer(), all.asSlice(tail));
  }

  static FfmBuffer over(ByteBuffer mapped) {
    return new FfmBuffer(
        mapped.duplicate().clear(), Arena.ofAuto().allocate(TAIL_SIZE, TAIL_ALIGNMENT));
  }

  @Override
  public long address(int offset) {
    return address + offset;
  }

  /** Returns where the next call leaves its errno. */
  MemorySegment callState() {
    return callState;
  }

  /** Returns the negated errno of the last call that was given {@link #callState}. */
  int negatedErrno() {
    return Errnos.negated(callState);
  }

  /** Fills in the {@code iovec} and returns its address. */
  long iovec(int offset, int length) {
    iovec.set(ValueLayout.JAVA_LONG, 0, address + offset);
    iovec.set(ValueLayout.JAVA_LONG, LinuxAbi.IOVEC_LENGTH, length);
    return iovec.address();
  }
}
