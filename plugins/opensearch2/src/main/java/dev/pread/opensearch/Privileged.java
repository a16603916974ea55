/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.opensearch;

import java.io.IOException;
import java.security.AccessController;
import java.security.PrivilegedAction;
import java.security.PrivilegedActionException;
import java.security.PrivilegedExceptionAction;

/**
 * Does what {@code plugin-security.policy} allows this plugin and not the server that calls it: the
 * security manager of OpenSearch 2 asks all callers.
 */
@SuppressWarnings("removal")
final class Privileged {

  private Privileged() {}

  /** What reads or writes. */
  @FunctionalInterface
  interface InputOutput<T> {
    T run() throws IOException;
  }

  static <T> T run(PrivilegedAction<T> action) {
    return AccessController.doPrivileged(action);
  }

  static <T> T open(InputOutput<T> action) throws IOException {
    try {
      return AccessController.doPrivileged((PrivilegedExceptionAction<T>) action::run);
    } catch (PrivilegedActionException e) {
      // There are no others in here.
      throw (IOException) e.getException();
    }
  }
}
