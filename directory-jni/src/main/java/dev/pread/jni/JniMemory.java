/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.jni;

import dev.pread.posix.MappedMemory;
import java.nio.ByteBuffer;

/**
 * Memory from {@code mmap(2)} as byte buffers, which the JVM makes from an address. They are as
 * plain and as fast as those of {@code allocateDirect}, except that the JVM does not know whose
 * memory it is.
 */
final class JniMemory extends MappedMemory {

  @Override
  protected ByteBuffer buffer(long address, int size) {
    return LinuxCalls.buffer(address, size);
  }

  @Override
  public long address(ByteBuffer memory) {
    return LinuxCalls.address(memory);
  }

  @Override
  protected long mmap(long length) {
    return LinuxCalls.mmap(length);
  }

  @Override
  protected void munmap(long address, long length) {
    LinuxCalls.munmap(address, length);
  }

  @Override
  protected int madvise(long address, long length, MemoryAdvice advice) {
    return LinuxCalls.madvise(address, length, advice.number());
  }
}
