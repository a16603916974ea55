/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/**
 * An extent ends; whoever sees that it has may fill its slots with something else. A reader
 * compares nothing but the extent's version, so that has to have changed by then.
 */
@JCStressTest
@Outcome(id = "-1", expect = Expect.ACCEPTABLE, desc = "not seen to have ended")
@Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "ended, and readers notice")
@Outcome(expect = Expect.FORBIDDEN, desc = "its slots may be reused, and readers do not notice")
@State
public class ExtentEndAgainstReuseStress {

  private final SlotCache cache = StressMemory.cache(2);
  private final CachedFile file = cache.files().open(null, "f", 2 * StressMemory.BLOCK);
  private final Extent extent;

  /** Completes it. */
  public ExtentEndAgainstReuseStress() {
    StressMemory.load(file, 0, 2, StressMemory.source(1));
    extent = file.extent(0);
  }

  /** Ends it, as an eviction or the last close does. */
  @Actor
  public void ender() {
    extent.end();
  }

  /** Asks as another eviction does, without the lock, then as a reader. */
  @Actor
  public void other(I_Result result) {
    boolean gone = extent.isGone();
    boolean stable = Guard.isStable(extent.acquire());
    result.r1 = !gone ? -1 : stable ? 1 : 0;
  }
}
