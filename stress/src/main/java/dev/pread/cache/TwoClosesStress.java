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
 * A file that is open twice is closed by both at once: what the one makes its readers look up again
 * the other frees, once.
 */
@JCStressTest
@Outcome(id = "0, 2", expect = Expect.ACCEPTABLE, desc = "all free")
@Outcome(expect = Expect.FORBIDDEN, desc = "a block of a closed file, a slot lost or doubled")
@State
public class TwoClosesStress {

  private final SlotCache cache = StressMemory.cache(2);
  private final CachedFile file = cache.files().open(1, "f", StressMemory.BLOCK);

  /** Opens it once more and brings it in. */
  public TwoClosesStress() {
    cache.files().open(1, "f", StressMemory.BLOCK);
    StressMemory.load(file, 0, 1, StressMemory.source(1));
  }

  /** Closes it. */
  @Actor
  public void first() {
    file.close();
  }

  /** Closes it. */
  @Actor
  public void second() {
    file.close();
  }

  /** Counts blocks and free slots. */
  @Arbiter
  public void slots(II_Result result) {
    result.r1 = (int) cache.counters().sum(Counter.BLOCKS);
    while (cache.obtain(file, 0, false, false) != null) {
      result.r2++;
    }
  }
}
