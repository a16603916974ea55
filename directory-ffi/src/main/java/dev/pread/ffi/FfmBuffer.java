/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.ffi;

import dev.pread.posix.NativeBuffer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A buffer that carries what a call needs besides the bytes, so that a call allocates nothing: its
 * address, room for the errno of this call and no other, and an {@code iovec}.
 *
 * <p>All of it is one allocation that the garbage collector releases. Whoever passes only the
 * address to a call must keep the buffer reachable until the call returns.
 */
final class FfmBuffer extends NativeBuffer {

  private final long address;
  private final MemorySegment callState;
  private final MemorySegment iovec;

  private FfmBuffer(MemorySegment bytes, MemorySegment callState, MemorySegment iovec) {
    super(bytes.asByteBuffer());
    this.address = bytes.address();
    this.callState = callState;
    this.iovec = iovec;
  }

  static FfmBuffer allocate(int size, int alignment) {
    long stateSize = Errnos.LAYOUT.byteSize();
    // The tail lies behind the bytes, on a boundary that suits both.
    long tail = Math.ceilDiv((long) size, 16L) * 16;
    long iovecStart = tail + Math.ceilDiv(stateSize, 16L) * 16;
    MemorySegment all =
        Arena.ofAuto().allocate(iovecStart + LinuxAbi.IOVEC_SIZE, Math.max(alignment, 16));
    return new FfmBuffer(
        all.asSlice(0, size),
        all.asSlice(tail, stateSize),
        all.asSlice(iovecStart, LinuxAbi.IOVEC_SIZE));
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
