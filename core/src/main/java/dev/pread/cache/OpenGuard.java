/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

/** Guards memory that belongs to its readers: right until {@link #end}. */
public final class OpenGuard extends Guard {

  /** The version it has until {@link #end}. */
  public static final long OPEN = 0;

  /** Stable. */
  public OpenGuard() {
    super(true);
  }

  /**
   * Makes all that was read with it invalid from now on. Harmless when called again.
   *
   * @return whether this call did it: true for one caller only
   */
  public boolean end() {
    return tryTake(acquire());
  }
}
