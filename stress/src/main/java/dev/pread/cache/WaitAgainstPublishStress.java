/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.Z_Result;

/** A thread waits for a block while it is published: it is woken, or does not wait at all. */
@JCStressTest
@Outcome(id = "true", expect = Expect.ACCEPTABLE, desc = "woken")
@Outcome(expect = Expect.FORBIDDEN, desc = "missed: it would have waited until its time was up")
@State
public class WaitAgainstPublishStress {

  private final SlotCache cache = StressMemory.cache(1);
  private final CachedFile file = cache.files().open(null, "f", StressMemory.BLOCK);
  private final Slot slot;
  private final long version;

  /** Begins to fill the slot. */
  public WaitAgainstPublishStress() {
    slot = cache.obtain(file, 0, true, false);
    boolean ignored = file.install(0, slot);
    version = slot.acquire();
  }

  /** Has filled it. */
  @Actor
  public void filler() {
    cache.publish(slot, file, 0, EvictionShard.Reason.READ);
  }

  /** Waits. */
  @Actor
  public void waiter(Z_Result result) {
    result.r1 = cache.signal(slot).await(() -> slot.hasChangedFrom(version), cache.maxWaitNanos());
  }
}
