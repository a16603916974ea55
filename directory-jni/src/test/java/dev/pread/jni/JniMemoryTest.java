/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.jni;

import dev.pread.posix.MappedMemoryContract;
import java.nio.ByteBuffer;

class JniMemoryTest extends MappedMemoryContract {

  @Override
  protected long address(ByteBuffer memory) {
    return LinuxCalls.address(memory);
  }
}
