/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

/**
 * Provides a backend. {@link java.util.ServiceLoader} looks for implementations in the artifacts on
 * the class path; see {@link BackendRegistry}.
 */
public interface SystemCallsProvider {

  /** Returns the name that {@code -Ddev.pread.backend} takes, in lower case. */
  String name();

  /**
   * Loads the backend. This is called at most once per process.
   *
   * @throws BackendUnavailableException if this process can't use it
   */
  SystemCalls create() throws BackendUnavailableException;
}
