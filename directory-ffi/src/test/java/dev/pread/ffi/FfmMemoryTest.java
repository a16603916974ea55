/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.ffi;

import dev.pread.posix.MappedMemoryContract;
import java.nio.ByteBuffer;

class FfmMemoryTest extends MappedMemoryContract {

  @Override
  protected long address(ByteBuffer memory) {
    return new FfmMemory().address(memory);
  }
}
