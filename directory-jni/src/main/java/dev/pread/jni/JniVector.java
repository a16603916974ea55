/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.jni;

import dev.pread.posix.IoVector;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A vector whose {@code iovec}s are written as pieces are added, so that a call only passes their
 * address.
 *
 * <p>Whoever passes the addresses to a call must keep the vector, which keeps the memory, reachable
 * until it returns.
 */
final class JniVector extends IoVector {

  /** {@code sizeof(struct iovec)}: an address and a length. */
  private static final int IOVEC_SIZE = 2 * Long.BYTES;

  private final ByteBuffer iovecs;
  private final long iovecsAddress;
  // The address of the memory that the piece at this place lies in: neighbours are often alike.
  private int lastPlace = -1;
  private long lastAddress;

  JniVector(int capacity) {
    super(capacity);
    iovecs = ByteBuffer.allocateDirect(capacity * IOVEC_SIZE).order(ByteOrder.nativeOrder());
    iovecsAddress = LinuxCalls.address(iovecs);
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // equals would compare the contents.
  protected void describe(int place, ByteBuffer memory, int offset, int length) {
    if (lastPlace < 0 || memory(lastPlace) != memory) {
      lastAddress = LinuxCalls.address(memory);
    }
    lastPlace = place;
    int iovec = place * IOVEC_SIZE;
    iovecs.putLong(iovec, lastAddress + offset);
    iovecs.putLong(iovec + Long.BYTES, length);
  }

  /** The address of the first piece's {@code iovec}. */
  long iovecs() {
    return iovecsAddress + (long) first() * IOVEC_SIZE;
  }
}
