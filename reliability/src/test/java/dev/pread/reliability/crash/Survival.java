/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.reliability.crash;

import java.util.SplittableRandom;

/**
 * What a crash leaves of what was not safe yet: one of the {@link #EXTREMES}, or a random choice
 * that depends on nothing but its seed. Good for one crash, since each answer moves it on.
 */
final class Survival {

  /** How many of the kinds are extremes. */
  static final int EXTREMES = 6;

  private static final double[] SHARES = {0.02, 0.5, 0.98, 1};

  private enum Length {
    FIRST,
    LAST,
    ANY
  }

  private final String kind;
  private final double names;
  private final double sectors;
  private final Length length;
  private final boolean garbage;
  private final int sectorSize;
  private final boolean inOrder;
  private final SplittableRandom random;
  private boolean lostRemoval;

  private Survival(
      String kind, double names, double sectors, Length length, SplittableRandom random) {
    this.kind = kind;
    this.names = names;
    this.sectors = sectors;
    this.length = length;
    this.random = random;
    this.garbage = random.nextBoolean();
    this.sectorSize = random.nextBoolean() ? 512 : 4096;
    this.inOrder = length != Length.ANY || random.nextBoolean();
  }

  /**
   * Returns kind number {@code kind}.
   *
   * @param kind from 0; those from {@link #EXTREMES} on are random
   */
  static Survival of(int kind, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    return switch (kind) {
      case 0 -> new Survival("nothing unsynced", 0, 0, Length.FIRST, random);
      case 1 -> new Survival("everything", 1, 1, Length.LAST, random);
      case 2 -> new Survival("names and lengths, no data", 1, 0, Length.LAST, random);
      case 3 -> new Survival("names, no lengths and no data", 1, 0, Length.FIRST, random);
      case 4 -> new Survival("data and lengths, no names", 0, 1, Length.LAST, random);
      case 5 -> new Survival("names and data, no lengths", 1, 1, Length.FIRST, random);
      default -> new Survival("a random part", share(random), share(random), Length.ANY, random);
    };
  }

  private static double share(SplittableRandom random) {
    return SHARES[random.nextInt(SHARES.length)];
  }

  /** Returns whether the next new name is there. */
  boolean name() {
    return random.nextDouble() < names;
  }

  /** Returns whether the next removal of a name is there. */
  boolean removal() {
    boolean survives = !(inOrder && lostRemoval) && random.nextDouble() < names;
    lostRemoval |= !survives;
    return survives;
  }

  /** Returns whether no removal survives one that came before it. */
  boolean inOrder() {
    return inOrder;
  }

  /** Returns whether the next sector of a write is there. */
  boolean sector() {
    return random.nextDouble() < sectors;
  }

  /** Bytes of a sector. */
  int sectorSize() {
    return sectorSize;
  }

  /** Returns which of so many lengths the file has, of which the first is the safe one. */
  int length(int count) {
    return switch (length) {
      case FIRST -> 0;
      case LAST -> count - 1;
      case ANY -> random.nextInt(count);
    };
  }

  /**
   * What there is in the file from {@code start} on before any of the writes arrive: zeros or not.
   */
  void fill(byte[] bytes, int start) {
    if (garbage && start < bytes.length) {
      byte[] old = new byte[bytes.length - start];
      random.nextBytes(old);
      System.arraycopy(old, 0, bytes, start, old.length);
    }
  }

  @Override
  public String toString() {
    return kind
        + " survives (of changes of names "
        + names
        + ", of sectors of "
        + sectorSize
        + " bytes "
        + sectors
        + ", length "
        + length
        + ", the rest is "
        + (garbage ? "garbage" : "zeros")
        + (inOrder ? ", removals are in order" : ", removals are in any order")
        + ")";
  }
}
