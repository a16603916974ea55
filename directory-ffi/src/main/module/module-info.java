/* SPDX-License-Identifier: Apache-2.0 */

/** The backend {@code ffm}, and the inputs for Java 22 and later. */
module dev.pread.ffi {
  requires dev.pread;

  provides dev.pread.posix.SystemCallsProvider with
      dev.pread.ffi.FfmSystemCallsProvider;
  provides dev.pread.store.CachedInputs with
      dev.pread.ffi.SegmentInputs;
}
