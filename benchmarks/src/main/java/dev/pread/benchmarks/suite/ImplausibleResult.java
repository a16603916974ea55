/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.suite;

/**
 * A figure that cannot be true, such as reads faster than a copy in memory: the measurement is
 * wrong, and so is whatever would be concluded from it.
 */
public final class ImplausibleResult extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** With the figure, the limit it breaks, and what may have gone wrong. */
  public ImplausibleResult(String message) {
    super(message);
  }
}
