/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.reliability;

/** How much of the campaign runs: a few minutes of it in CI, all of it with {@code -Psoak}. */
public final class Campaign {

  private static final boolean SOAK = Boolean.getBoolean("reliability.soak");

  private Campaign() {}

  /** {@code whole} with {@code -Psoak}, {@code part} otherwise. */
  public static long size(long part, long whole) {
    return SOAK ? whole : part;
  }
}
