/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.ffi;

import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * Holds the place where a call leaves its errno: the linker copies it there before anything else
 * can change it.
 */
final class Errnos {

  static final StructLayout LAYOUT = Linker.Option.captureStateLayout();

  private static final VarHandle ERRNO =
      LAYOUT.varHandle(MemoryLayout.PathElement.groupElement("errno"));

  private Errnos() {}

  static int negated(MemorySegment callState) {
    return -(int) ERRNO.get(callState, 0L);
  }
}
