/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.ffi;

import dev.pread.posix.IoVector;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;

/**
 * A vector whose {@code iovec}s are written as pieces are added, so that a call only passes their
 * address: it allocates nothing.
 *
 * <p>Whoever passes the addresses to a call must keep the vector, which keeps the memory, reachable
 * until it returns.
 */
final class FfmVector extends IoVector {

  private final MemorySegment callState;
  private final MemorySegment iovecs;
  private final long iovecsAddress;
  // The address of the memory that the piece at this place lies in: neighbours are often alike.
  private int lastPlace = -1;
  private long lastAddress;

  FfmVector(int capacity) {
    super(capacity);
    long stateSize = Math.ceilDiv(Errnos.LAYOUT.byteSize(), 16L) * 16;
    long iovecsSize = (long) capacity * LinuxAbi.IOVEC_SIZE;
    MemorySegment all = Arena.ofAuto().allocate(stateSize + iovecsSize, 16);
    callState = all.asSlice(0, Errnos.LAYOUT.byteSize());
    iovecs = all.asSlice(stateSize, iovecsSize);
    iovecsAddress = iovecs.address();
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // equals would compare the contents.
  protected void describe(int place, ByteBuffer memory, int offset, int length) {
    if (lastPlace < 0 || memory(lastPlace) != memory) {
      lastAddress = FfmMemory.INSTANCE.address(memory);
    }
    lastPlace = place;
    long iovec = (long) place * LinuxAbi.IOVEC_SIZE;
    iovecs.set(ValueLayout.JAVA_LONG, iovec, lastAddress + offset);
    iovecs.set(ValueLayout.JAVA_LONG, iovec + LinuxAbi.IOVEC_LENGTH, length);
  }

  /** The address of the first piece's {@code iovec}. */
  long iovecs() {
    return iovecsAddress + (long) first() * LinuxAbi.IOVEC_SIZE;
  }

  /** Where the next call leaves its errno. */
  MemorySegment callState() {
    return callState;
  }

  /** The errno of the last call that was given {@link #callState}, negated. */
  int negatedErrno() {
    return Errnos.negated(callState);
  }
}
