/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.machine;

import java.util.Locale;

/** Says how much of a file the memory can hold. */
public enum Regime {
  /** It is a quarter of the limit, so that all is resident, whoever keeps it. */
  FITS(0.25),
  /** It is as long as the limit, and its last bit does not fit beside the process. */
  LIMIT(1),
  /** It is four times the limit, and three reads of four have to come from the device. */
  EXCEEDS(4);

  private final double share;

  Regime(double share) {
    this.share = share;
  }

  /** Returns the length of its file, in whole MiB, for a limit in bytes. */
  public long fileBytes(long memory) {
    return (long) (memory * share) >> 20 << 20;
  }

  /**
   * Returns how much of its file is read once before anything is measured: until memory is full.
   */
  public long warmBytes(long fileBytes) {
    return (long) (fileBytes / Math.max(1, share));
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
