/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * The device is reading into slots while their file is closed and somebody else wants them: nobody
 * has them before the device has done with them, and then each is free once.
 */
@JCStressTest
@Outcome(
    id = {"0, 1", "2, 1"},
    expect = Expect.ACCEPTABLE,
    desc = "no slot yet, or one that stays as it was filled; all can be had once")
@Outcome(
    expect = Expect.FORBIDDEN,
    desc = "the device writes into another block, or a slot is lost")
@State
public class ReadUnderWayAgainstCloseStress {

  private final SlotCache cache = StressMemory.cache(2);
  private final CachedFile file = cache.files().open(null, "f", 2 * StressMemory.BLOCK);
  private final CachedFile other = cache.files().open(null, "o", StressMemory.BLOCK);
  private final StressFile device = new StressFile(1, false);
  private Slot taken;

  /** Begins the read. */
  public ReadUnderWayAgainstCloseStress() {
    file.prefetch(0, 2 * StressMemory.BLOCK, device);
  }

  /** Closes the file. */
  @Actor
  public void closer() {
    file.close();
  }

  /** Wants a slot. */
  @Actor
  public void filler() {
    taken = StressMemory.load(other, 0, 1, StressMemory.source(2));
  }

  /** Looks at the slot once the device has done, then takes all slots. */
  @Arbiter
  public void slots(II_Result result) {
    StressMemory.settle(cache);
    result.r1 = taken == null ? 0 : (int) StressMemory.value(cache, taken);
    other.close();
    result.r2 = StressMemory.takeAllSlots(cache, 2) ? 1 : 0;
    // It is closed so that it does not take the collector to end the queue.
    cache.close();
  }
}
