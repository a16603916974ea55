/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.J_Result;

/**
 * One file gives back the only slot while another takes it: it finds the slot as whole as who made
 * it, or finds none.
 */
@JCStressTest
@Outcome(id = "2", expect = Expect.ACCEPTABLE, desc = "had it, and its memory")
@Outcome(id = "-1", expect = Expect.ACCEPTABLE, desc = "none was free, or it was taken again")
@Outcome(expect = Expect.FORBIDDEN, desc = "half of a slot, or the other's bytes")
@State
public class TakeAgainstGiveStress {

  private final SlotCache cache = StressMemory.cache(1);
  private final CachedFile file = cache.files().open(null, "f", StressMemory.BLOCK);
  private final CachedFile other = cache.files().open(null, "g", StressMemory.BLOCK);

  /** Takes the slot, whose memory is made then, and gives it back. */
  @Actor
  public void giver() {
    StressMemory.load(file, 0, 1, StressMemory.source(1));
    file.close();
  }

  /** Takes it, and reads in it as readers do. */
  @Actor
  public void taker(J_Result result) {
    result.r1 = StressMemory.loadAndRead(other, 0, StressMemory.source(2));
  }
}
