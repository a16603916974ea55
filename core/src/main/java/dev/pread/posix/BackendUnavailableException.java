/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

/** Says why a backend can't be used in this process, and what would change that. */
public final class BackendUnavailableException extends Exception {

  private static final long serialVersionUID = 1L;

  /**
   * @param message the reason and the remedy, in one line
   */
  public BackendUnavailableException(String message) {
    super(message);
  }

  /**
   * @param message the reason and the remedy, in one line
   * @param cause what made the attempt to load it fail
   */
  public BackendUnavailableException(String message, Throwable cause) {
    super(message, cause);
  }
}
