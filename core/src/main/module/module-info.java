/* SPDX-License-Identifier: Apache-2.0 */

/**
 * Lucene directories that read with {@code pread(2)}. The API is the package {@link dev.pread}; the
 * other packages are for the backends of this project and change without notice.
 */
@SuppressWarnings("module") // The backends are compiled after this module.
module dev.pread {
  requires transitive org.apache.lucene.core;
  requires java.management;
  // A small runtime may lack it; then there are no events.
  requires static jdk.jfr;
  // It may lack this, too; then reads on Java 21 go through buffers instead of by address.
  requires static jdk.unsupported;

  exports dev.pread;
  exports dev.pread.posix to
      dev.pread.ffi,
      dev.pread.jni;
  exports dev.pread.store to
      dev.pread.ffi;
  exports dev.pread.cache to
      dev.pread.ffi;

  uses dev.pread.posix.SystemCallsProvider;
  uses dev.pread.store.CachedInputs;
}
