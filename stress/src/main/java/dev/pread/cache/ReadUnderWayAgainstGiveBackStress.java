/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * The device is reading into both pages of a cache that is made so small that one of them has to
 * go, and other blocks want to come in: no slot that the device writes into is evicted or given
 * back.
 */
@JCStressTest
@Outcome(
    id = {"1, 2, 1", "-1, 2, 1", "1, -1, 1", "-1, -1, 1"},
    expect = Expect.ACCEPTABLE,
    desc = "right, or looked up again; one page is given back and stays as it is, no slot is lost")
@Outcome(
    expect = Expect.FORBIDDEN,
    desc = "the device writes into another block or memory given back; a page or a slot is lost")
@State
public class ReadUnderWayAgainstGiveBackStress {

  private static final int BLOCKS = 12;

  private final SlotCache cache = StressMemory.cache(2 * StressMemory.PAGE_BLOCKS);
  private final CachedFile file = cache.files().open(null, "f", BLOCKS * StressMemory.BLOCK);
  private final CachedFile other = cache.files().open(null, "o", BLOCKS * StressMemory.BLOCK);
  private final StressFile device = new StressFile(1, true);

  /** Begins the read. */
  public ReadUnderWayAgainstGiveBackStress() {
    file.prefetch(0, BLOCKS * StressMemory.BLOCK, device);
  }

  /** Brings in more than is free, and wants one of the blocks that the device reads. */
  @Actor
  public void reader(III_Result result) {
    for (int block = 0; block < BLOCKS; block++) {
      result.r2 = (int) StressMemory.loadAndRead(other, block, StressMemory.source(2));
    }
    result.r1 = (int) StressMemory.loadAndRead(file, StressMemory.PAGE_BLOCKS, device);
  }

  /** Makes the cache smaller by a page. */
  @Actor
  public void shrinker() {
    cache.resize((long) StressMemory.PAGE_BLOCKS * StressMemory.BLOCK, false);
  }

  /** Looks at the page that has gone once the device has done, then takes all slots. */
  @Arbiter
  public void memory(III_Result result) {
    StressMemory.settle(cache);
    // A thread that was held up amid a block may have kept its page.
    cache.resize((long) StressMemory.PAGE_BLOCKS * StressMemory.BLOCK, false);
    int gone = 0;
    for (int page = 0; page < cache.freeSlots().pages(); page++) {
      gone += cache.freeSlots().isClosed(page) ? 1 : 0;
    }
    boolean isRight = gone == 1;
    for (int i = 0; i < cache.slots(); i++) {
      boolean isGone = cache.freeSlots().isClosed(i / StressMemory.PAGE_BLOCKS);
      isRight &= !isGone || StressMemory.value(cache, cache.slot(i)) == 0;
    }
    for (int block = 0; block < BLOCKS; block++) {
      isRight &= has(file, block, 1) && has(other, block, 2);
    }
    file.close();
    other.close();
    isRight &= StressMemory.takeAllSlots(cache, StressMemory.PAGE_BLOCKS);
    result.r3 = isRight ? 1 : 0;
    // It is closed so that it does not take the collector to end the queue.
    cache.close();
  }

  /** Returns whether a block is right, if it is there at all. */
  private boolean has(CachedFile of, int block, long value) {
    Slot slot = of.find(block);
    return slot == null || StressMemory.value(cache, slot) == value;
  }
}
