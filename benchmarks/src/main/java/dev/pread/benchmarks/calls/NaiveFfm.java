/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.calls;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * What not to do with FFM: a call that waits for the disk linked as {@code critical}, so that it
 * may be given an array of the heap. Its thread can't be brought to a safepoint until it returns.
 */
final class NaiveFfm {
  private static final MethodHandle PREAD = pread();

  private NaiveFfm() {}

  @SuppressWarnings("restricted")
  private static MethodHandle pread() {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(
        linker.defaultLookup().find("pread").orElseThrow(),
        FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_LONG),
        Linker.Option.critical(true));
  }

  /**
   * {@code pread(2)} of a whole array.
   *
   * @return bytes read, or -1
   */
  static long read(int fd, byte[] array, long position) {
    try {
      return (long)
          PREAD.invokeExact(fd, MemorySegment.ofArray(array), (long) array.length, position);
    } catch (Throwable t) {
      throw new AssertionError(t);
    }
  }
}
