/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.jni;

import dev.pread.posix.NativeBuffer;
import java.nio.ByteBuffer;

/**
 * A buffer that knows its address. Whoever passes only that to a call must keep the buffer
 * reachable until it returns.
 */
final class JniBuffer extends NativeBuffer {

  private final long address;

  private JniBuffer(ByteBuffer bytes) {
    super(bytes);
    this.address = LinuxCalls.address(bytes);
  }

  static JniBuffer allocate(int size, int alignment) {
    ByteBuffer raw = ByteBuffer.allocateDirect(Math.addExact(size, alignment - 1));
    // Not alignedSlice: that also cuts the end down to a multiple of the alignment.
    int start = -raw.alignmentOffset(0, alignment) & (alignment - 1);
    return new JniBuffer(raw.slice(start, size));
  }

  long address(int offset) {
    return address + offset;
  }
}
