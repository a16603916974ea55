/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks;

/**
 * A directory whose hits differ from those of the first one, or that failed where the first did
 * not. A directory like that must not be measured, let alone used.
 */
public final class HitMismatch extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** The message names the kind, the query and the directories. */
  public HitMismatch(String message, Throwable cause) {
    super(message, cause);
  }
}
