/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.jni;

import dev.pread.posix.NativeBuffer;
import java.nio.ByteBuffer;

/**
 * A buffer that knows its address. Whoever passes only the address to a call must keep the buffer
 * reachable until the call returns.
 */
final class JniBuffer extends NativeBuffer {

  private final long address;

  private JniBuffer(ByteBuffer bytes) {
    super(bytes);
    this.address = LinuxCalls.address(bytes);
  }

  static JniBuffer allocate(int size, int alignment) {
    return new JniBuffer(alignedMemory(size, alignment));
  }

  static JniBuffer over(ByteBuffer mapped) {
    return new JniBuffer(mapped.duplicate().clear());
  }

  @Override
  public long address(int offset) {
    return address + offset;
  }
}
