/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.Z_Result;

/**
 * A thread waits for a block whose read fails: it is woken, or does not wait for a slot that is
 * free.
 */
@JCStressTest
@Outcome(id = "true", expect = Expect.ACCEPTABLE, desc = "woken, or has found nothing to wait for")
@Outcome(expect = Expect.FORBIDDEN, desc = "missed: it would have waited until its time was up")
@State
public class WaitAgainstFailureStress {

  private final SlotCache cache = StressMemory.cache(1);
  private final CachedFile file = cache.files().open(null, "f", StressMemory.BLOCK);
  private final Slot slot;

  /** Begins to fill the slot. */
  public WaitAgainstFailureStress() {
    slot = cache.obtain(file, 0, true, false);
    boolean ignored = file.install(0, slot);
  }

  /** Could not fill it. */
  @Actor
  public void filler() {
    file.remove(0, slot);
    cache.release(slot);
  }

  /** Waits for what it finds. */
  @Actor
  public void waiter(Z_Result result) {
    Slot found = file.find(0);
    result.r1 = found == null || new FillWait(file, 0).until(found, found.acquire());
  }
}
