/* SPDX-License-Identifier: Apache-2.0 */

/** The backend {@code jni}. */
module dev.pread.jni {
  requires dev.pread;

  provides dev.pread.posix.SystemCallsProvider with
      dev.pread.jni.JniSystemCallsProvider;
}
