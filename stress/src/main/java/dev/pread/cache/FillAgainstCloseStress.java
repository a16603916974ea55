/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A block is filled while its file is closed: its slot is free in the end, once. */
@JCStressTest
@Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "gone, and all slots can be had once")
@Outcome(expect = Expect.FORBIDDEN, desc = "a block of a closed file, a slot lost or doubled")
@State
public class FillAgainstCloseStress {

  private final SlotCache cache = StressMemory.cache(2);
  private final CachedFile file = cache.files().open(null, "f", 2 * StressMemory.BLOCK);

  /** Brings the file in. */
  @Actor
  public void filler() {
    StressMemory.load(file, 0, 2, StressMemory.source(1));
  }

  /** Closes it. */
  @Actor
  public void closer() {
    file.close();
  }

  /** Counts blocks, then takes all slots. */
  @Arbiter
  public void slots(II_Result result) {
    result.r1 = (int) cache.counters().sum(Counter.BLOCKS);
    result.r2 = StressMemory.takeAllSlots(cache, 2) ? 1 : 0;
  }
}
