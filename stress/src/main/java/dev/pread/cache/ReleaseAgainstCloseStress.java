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
 * Memory that was handed out comes back while its file is closed: its slots are free in the end,
 * whoever of the two frees them.
 */
@JCStressTest
@Outcome(id = "0, 2", expect = Expect.ACCEPTABLE, desc = "nothing is left, and both can be had")
@Outcome(expect = Expect.FORBIDDEN, desc = "a slot was lost, or freed twice")
@State
public class ReleaseAgainstCloseStress {

  private final SlotCache cache = StressMemory.cache(2);
  private final CachedFile file = cache.files().open(null, "f", 2 * StressMemory.BLOCK);
  private final Runnable[] release = new Runnable[1];

  /** Brings the file in, and has its memory handed out. */
  public ReleaseAgainstCloseStress() {
    StressMemory.load(file, 0, 2, StressMemory.source(1));
    Object ignored =
        file.extent(0)
            .view(
                (chunk, base, size, released) -> {
                  release[0] = released;
                  return new Object();
                });
  }

  /** Nobody looks at it any more. */
  @Actor
  public void collector() {
    release[0].run();
  }

  /** Closes the file. */
  @Actor
  public void closer() {
    file.close();
  }

  /** Counts blocks, then takes all slots. */
  @Arbiter
  public void slots(II_Result result) {
    result.r1 = (int) (cache.counters().sum(Counter.BLOCKS) + cache.pins().count());
    int first = -1;
    for (int i = 0; i < 2; i++) {
      CachedFile other = cache.files().open(null, "g", StressMemory.BLOCK);
      Slot slot = cache.obtain(other, 0, false, false);
      result.r2 += slot == null || slot.index == first ? 0 : 1;
      first = slot == null ? -1 : slot.index;
    }
  }
}
