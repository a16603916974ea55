/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.jni;

import dev.pread.posix.BackendUnavailableException;
import dev.pread.posix.Posix;
import dev.pread.posix.PosixProvider;

/**
 * Offers the JNI backend on Linux, x86-64 and aarch64, where its library can be loaded.
 *
 * <p>{@link java.util.ServiceLoader} finds this class; applications have no use for it.
 */
public final class JniPosixProvider implements PosixProvider {

  /** Creates the provider; {@link java.util.ServiceLoader} calls this. */
  public JniPosixProvider() {}

  @Override
  public String name() {
    return JniPosix.NAME;
  }

  @Override
  public Posix create() throws BackendUnavailableException {
    NativeLibrary.load();
    return new JniPosix();
  }
}
