/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/**
 * Slots are freed while an extent is made of them: each goes to the extent or is free, also when
 * the making of the extent comes to nothing at that moment.
 */
@JCStressTest
@Outcome(id = "8", expect = Expect.ACCEPTABLE, desc = "all slots can be had, each of them once")
@Outcome(expect = Expect.FORBIDDEN, desc = "a slot was lost, or had twice")
@State
public class ReleaseAgainstGatherStress {

  private static final int BLOCKS = 8;

  private final SlotCache cache = StressMemory.cache(BLOCKS);
  private final CachedFile file = cache.files().open(null, "f", 4 * StressMemory.BLOCK);
  private final CachedFile other = cache.files().open(null, "g", BLOCKS * StressMemory.BLOCK);

  /** Fills the cache. */
  public ReleaseAgainstGatherStress() {
    StressMemory.load(other, 0, BLOCKS, StressMemory.source(2));
    other.extents().forEach(Extent::end);
  }

  /** Makes an extent at the expense of the other file. */
  @Actor
  public void gatherer() {
    file.extents().gather(0, StressMemory.source(1));
  }

  /** Frees all that the other file has, and ends the extent, whatever has become of it by then. */
  @Actor
  public void releaser() {
    other.close();
    file.close();
  }

  /** Takes all slots, and counts those that were not had before. */
  @Arbiter
  public void slots(I_Result result) {
    boolean[] had = new boolean[BLOCKS];
    for (int i = 0; i < BLOCKS; i++) {
      Slot slot = cache.obtain(cache.files().open(null, "s", StressMemory.BLOCK), 0, false, false);
      if (slot != null && !had[slot.index]) {
        had[slot.index] = true;
        result.r1++;
      }
    }
  }
}
