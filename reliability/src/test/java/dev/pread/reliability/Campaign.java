/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.reliability;

/** How much of the campaign runs: a minute of each part on a change, all of it with -Psoak. */
public final class Campaign {

  private static final String LEVEL = System.getProperty("reliability.campaign", "ci");

  private Campaign() {}

  /**
   * Returns that of the three which {@code -Dcampaign} tells, which {@code -Pnightly} and -Psoak
   * set.
   */
  public static long size(long ci, long nightly, long soak) {
    return switch (LEVEL) {
      case "ci" -> ci;
      case "nightly" -> nightly;
      case "soak" -> soak;
      default -> throw new IllegalArgumentException("campaign=" + LEVEL + ": ci, nightly or soak");
    };
  }
}
