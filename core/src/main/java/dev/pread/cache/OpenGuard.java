/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

/** Guards memory that belongs to its readers: what they read there is right until {@link #end}. */
public final class OpenGuard extends Guard {

  /** The version it has until {@link #end}. */
  public static final long OPEN = 0;

  /** Creates a guard that is stable. */
  public OpenGuard() {
    super(true);
  }

  /**
   * Invalidates all that was read with it. Calling it again has no effect.
   *
   * @return whether this call did it, which is true for one caller only
   */
  public boolean end() {
    return tryTake(acquire());
  }
}
