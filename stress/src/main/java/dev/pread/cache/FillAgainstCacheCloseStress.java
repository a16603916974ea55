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
 * A block is filled while the whole cache is closed: it is gone in the end, and so is the memory.
 */
@JCStressTest
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "nothing is left")
@Outcome(expect = Expect.FORBIDDEN, desc = "a block or the memory outlives the cache")
@State
public class FillAgainstCacheCloseStress {

  private final SlotCache cache = StressMemory.cache(2);
  private final CachedFile file = cache.files().open(null, "f", 2 * StressMemory.BLOCK);
  private final Extent extent = file.extents().place(0);

  /** Brings the file in. */
  @Actor
  public void filler() {
    StressMemory.load(file, 0, 2, StressMemory.source(1));
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
    result.r2 = (int) extent.chunk().bytes().getLong(extent.base());
  }
}
