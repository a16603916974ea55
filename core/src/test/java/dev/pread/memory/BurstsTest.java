/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class BurstsTest {

  private final Bursts bursts = new Bursts();
  private long now = System.nanoTime();

  private long of(long bytes, long shared) {
    now += TimeUnit.MILLISECONDS.toNanos(10);
    return bursts.of(bytes, shared, now);
  }

  @Test
  void whatIsTakenWithinAMomentIsOneBurst() {
    assertEquals(0, of(100, 0));
    assertEquals(20, of(120, 0));
    assertEquals(50, of(150, 0));
    assertEquals(30, of(130, 0));
    assertEquals(50, bursts.largest());
  }

  @Test
  void whatIsTakenSlowlyIsNone() {
    for (int bytes = 100; bytes < 110; bytes++) {
      assertEquals(bytes == 100 ? 0 : 1, of(bytes, 0), "since the look before");
      now += TimeUnit.MILLISECONDS.toNanos(201);
    }
  }

  @Test
  void theLargestFades() {
    assertEquals(0, of(100, 0));
    assertEquals(80, of(180, 0));
    now += TimeUnit.SECONDS.toNanos(30);
    assertEquals(80, of(180, 0), "nobody has looked since");
    assertEquals(80, bursts.largest());
    now += TimeUnit.SECONDS.toNanos(31);
    assertEquals(0, of(180, 0));
    assertEquals(40, bursts.largest());
  }

  @Test
  void theCachesOfOthersMayGrow() {
    assertEquals(0, of(100, 0));
    assertEquals(0, of(150, 50));
    assertEquals(10, of(160, 50));
    assertEquals(10, bursts.largest());
  }

  /** They shrink since a neighbour takes memory, which is a burst, and grow again later. */
  @Test
  void whatTheCachesOfOthersGiveBackMayBeTaken() {
    assertEquals(0, of(100, 60));
    assertEquals(0, of(50, 10));
    assertEquals(0, of(100, 60), "they have it again");
    assertEquals(50, of(100, 10), "somebody else has it");
  }

  @Test
  void whoBeginsToTellHasTakenNothing() {
    assertEquals(0, of(100, 0));
    bursts.rebase(400, 200);
    assertEquals(0, of(400, 200));
    assertEquals(10, of(410, 200));
    bursts.rebase(150, 0);
    assertEquals(0, of(150, 0));
    assertEquals(10, bursts.largest());
  }
}
