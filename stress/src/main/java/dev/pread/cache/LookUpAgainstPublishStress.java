/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.J_Result;

/** A block is looked up while it is being published: not there yet, or all of it. */
@JCStressTest
@Outcome(
    id = {"-1", "7"},
    expect = Expect.ACCEPTABLE,
    desc = "not there yet, or right")
@Outcome(expect = Expect.FORBIDDEN, desc = "seen before it was filled")
@State
public class LookUpAgainstPublishStress {

  private final SlotCache cache = StressMemory.cache(4);
  private final CachedFile file = cache.files().open(null, "f", 2 * StressMemory.BLOCK);

  /** Brings the block in. */
  @Actor
  public void filler() {
    StressMemory.load(file, 1, 1, StressMemory.source(7));
  }

  /** Looks it up. */
  @Actor
  public void reader(J_Result result) {
    result.r1 = -1;
    Slot slot = file.find(1);
    if (slot != null) {
      long version = slot.acquire();
      result.r1 = file.isIn(slot, version, 1) ? StressMemory.read(cache, slot, version) : -1;
    }
  }
}
