/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

/**
 * How a backend is found: {@link java.util.ServiceLoader} looks for implementations in the
 * artifacts on the class path. See {@link Backends}.
 */
public interface PosixProvider {

  /** The name {@code -Ddev.pread.backend} takes, in lower case. */
  String name();

  /**
   * Loads the backend. Called at most once per process.
   *
   * @throws BackendUnavailableException if this process can't use it
   */
  Posix create() throws BackendUnavailableException;
}
