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
 * A thread that has waited too long takes a slot out of the table while it is published after all:
 * the slot is in the table with its block, or free.
 */
@JCStressTest
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "published, and in the table")
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "free again")
@Outcome(expect = Expect.FORBIDDEN, desc = "published where nobody finds it, or lost")
@State
public class AbandonAgainstPublishStress {

  private final SlotCache cache = StressMemory.cache(1);
  private final CachedFile file = cache.files().open(null, "f", StressMemory.BLOCK);
  private final Slot slot;
  private final long version;
  private final FillWait wait = new FillWait(file, 0);

  /** Begins to fill the slot. */
  public AbandonAgainstPublishStress() {
    slot = cache.obtain(file, 0, true, false);
    boolean ignored = file.install(0, slot);
    version = slot.acquire();
  }

  /** Has filled it. */
  @Actor
  public void filler() {
    cache.publish(slot, file, 0, EvictionShard.Reason.READ);
  }

  /** Has waited long enough. */
  @Actor
  public void waiter() {
    wait.abandon(slot, version);
  }

  /** Looks whether it is found, then whether the cache has it; the slot can be had in any case. */
  @Arbiter
  public void table(II_Result result) {
    result.r1 = file.find(0) == slot && file.isIn(slot, slot.acquire(), 0) ? 1 : 0;
    result.r2 = StressMemory.blocksBeforeClose(file);
  }
}
