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
 * One of two who have a file open closes it, which makes all readers look its blocks up again,
 * while the whole cache is closed: the blocks are gone in the end, and so is the memory.
 */
@JCStressTest
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "nothing is left")
@Outcome(expect = Expect.FORBIDDEN, desc = "a block or the memory outlives the cache")
@State
public class LookUpAgainAgainstCacheCloseStress {

  private final SlotCache cache = StressMemory.cache(1);
  private final CachedFile file = cache.files().open(1, "f", StressMemory.BLOCK);
  private final Slot slot;

  /** Opens it once more and brings it in. */
  public LookUpAgainAgainstCacheCloseStress() {
    cache.files().open(1, "f", StressMemory.BLOCK);
    slot = StressMemory.load(file, 0, 1, StressMemory.source(1));
  }

  /** Closes the file, which the other one still has. */
  @Actor
  public void one() {
    file.close();
  }

  /** Closes the cache. */
  @Actor
  public void closer() {
    cache.close();
  }

  /** Counts blocks, and looks at memory that reads as zeros once it has been given back. */
  @Arbiter
  public void memory(II_Result result) {
    result.r1 = (int) cache.counters().sum(Counter.BLOCKS);
    result.r2 = (int) StressMemory.value(cache, slot);
  }
}
