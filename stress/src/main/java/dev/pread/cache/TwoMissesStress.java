/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** Two threads miss the same block: one of them reads it, both get it. */
@JCStressTest
@Outcome(id = "1, 1, 1", expect = Expect.ACCEPTABLE, desc = "read once, had by both")
@Outcome(expect = Expect.FORBIDDEN, desc = "read twice, or not had")
@State
public class TwoMissesStress {

  private final SlotCache cache = StressMemory.cache(2);
  private final CachedFile file = cache.files().open(null, "f", StressMemory.BLOCK);
  private final AtomicInteger reads = new AtomicInteger();

  private int load() {
    Slot slot =
        StressMemory.load(file, 0, 1, StressMemory.source(1, () -> reads.incrementAndGet()));
    return slot != null && file.isIn(slot, slot.acquire(), 0) ? 1 : 0;
  }

  /** Misses it. */
  @Actor
  public void first(III_Result result) {
    result.r1 = load();
  }

  /** Misses it, too. */
  @Actor
  public void second(III_Result result) {
    result.r2 = load();
  }

  /** Counts the reads. */
  @Arbiter
  public void reads(III_Result result) {
    result.r3 = reads.get();
  }
}
