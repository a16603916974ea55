/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

/**
 * Says that the system, or what limits the process, gives no more memory outside the heap. It is
 * not thrown when the heap is full: garbage that is collected later makes room there.
 */
public final class NoNativeMemoryError extends OutOfMemoryError {

  private static final long serialVersionUID = 1L;

  /**
   * @param message what was asked for in vain, and the remedy
   */
  public NoNativeMemoryError(String message) {
    super(message);
  }
}
