/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.jni;

import dev.pread.posix.BackendUnavailableException;
import dev.pread.posix.SystemCalls;
import dev.pread.posix.SystemCallsProvider;

/**
 * Offers the JNI backend on Linux, x86-64 and aarch64, where its library can be loaded.
 *
 * <p>{@link java.util.ServiceLoader} finds this class; applications have no use for it.
 */
public final class JniSystemCallsProvider implements SystemCallsProvider {

  /** Creates the provider; {@link java.util.ServiceLoader} calls this. */
  public JniSystemCallsProvider() {}

  @Override
  public String name() {
    return JniSystemCalls.NAME;
  }

  @Override
  public SystemCalls create() throws BackendUnavailableException {
    NativeLibrary.load();
    return new JniSystemCalls();
  }
}
