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
 * A thread takes a slot out of the table that it has waited for for too long, just while the slot
 * is in motion for another reason: all readers of its file have to look its block up again. The
 * slot is in the table with its block, or free.
 */
@JCStressTest
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "published, and in the table")
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "free again")
@Outcome(expect = Expect.FORBIDDEN, desc = "published where nobody finds it, or lost")
@State
public class LookUpAgainAgainstAbandonStress {

  /** The slot is in motion for a moment each time. */
  private static final int TRIES = 50;

  private final SlotCache cache = StressMemory.cache(1);
  private final CachedFile file = cache.files().open(null, "f", StressMemory.BLOCK);
  private final FillWait wait = new FillWait(file, 0);
  private final Slot slot;

  /** Brings the block in. */
  public LookUpAgainAgainstAbandonStress() {
    slot = StressMemory.load(file, 0, 1, StressMemory.source(1));
  }

  /** Makes readers look it up again. */
  @Actor
  public void invalidator() {
    for (int i = 0; i < TRIES; i++) {
      file.invalidate();
    }
  }

  /** Has waited for long enough when it finds the slot in motion. */
  @Actor
  public void waiter() {
    for (int i = 0; i < TRIES; i++) {
      long version = slot.acquire();
      if (!Guard.isStable(version)) {
        wait.abandon(slot, version);
        return;
      }
    }
  }

  /** Looks whether it is found, then whether the cache has it; the slot can be had in any case. */
  @Arbiter
  public void table(II_Result result) {
    result.r1 = file.find(0) == slot && file.isIn(slot, slot.acquire(), 0) ? 1 : 0;
    result.r2 = StressMemory.blocksBeforeClose(file);
  }
}
