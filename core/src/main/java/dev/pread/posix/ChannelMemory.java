/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** The memory of {@link ChannelSystemCalls}: direct buffers, which are all that the JDK offers. */
final class ChannelMemory {

  /** The alignment of all memory that direct I/O may be simulated with. */
  private static final int ALIGNMENT = LargeBuffers.ALIGNMENT;

  private ChannelMemory() {}

  /** Implements {@link SystemCalls#map}. */
  static ByteBuffer map(int size) {
    if (size < 1) {
      throw new IllegalArgumentException("at least one byte has to be mapped, got " + size);
    }
    try {
      return NativeBuffer.alignedMemory(size, ALIGNMENT).order(ByteOrder.LITTLE_ENDIAN);
    } catch (OutOfMemoryError | ArithmeticException e) {
      String reason = String.valueOf(e.getMessage());
      if (reason.startsWith("Java heap space") || reason.startsWith("GC overhead limit")) {
        // The JDK throws the same error for the heap, which says nothing about other memory.
        throw e;
      }
      NoNativeMemoryError error =
          new NoNativeMemoryError(
              "no "
                  + size
                  + " bytes of direct memory for backend "
                  + ChannelSystemCalls.NAME
                  + " ("
                  + reason
                  + "): ask for less, or raise -XX:MaxDirectMemorySize");
      error.initCause(e);
      throw error;
    }
  }
}
