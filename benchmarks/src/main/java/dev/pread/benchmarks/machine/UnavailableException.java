/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.machine;

/**
 * Thrown when the system does not let this process do something that the measurement needs, as it
 * would let root or another kernel. The regime is then skipped; the message says why, and what
 * would help.
 */
public final class UnavailableException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public UnavailableException(String message) {
    super(message);
  }
}
