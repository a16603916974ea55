/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/**
 * Memory that was handed out comes back while both who have the file open close it: one of them
 * makes its readers look again, the other frees what is not handed out.
 */
@JCStressTest
@Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "all slots can be had, each once")
@Outcome(expect = Expect.FORBIDDEN, desc = "a slot was lost, or freed twice, or is pinned for good")
@State
public class ReleaseAgainstTwoClosesStress {

  private final SlotCache cache = StressMemory.cache(2);
  private final CachedFile file = cache.files().open(1, "f", 2 * StressMemory.BLOCK);
  private final Runnable[] release = new Runnable[1];

  /** Opens it once more, brings it in, and has its memory handed out. */
  public ReleaseAgainstTwoClosesStress() {
    cache.files().open(1, "f", 2 * StressMemory.BLOCK);
    StressMemory.load(file, 0, 2, StressMemory.source(1));
    Object ignored =
        file.extent(0)
            .view(
                (chunk, base, size, released) -> {
                  release[0] = released;
                  return new Object();
                });
  }

  /** Nobody looks at it any more. */
  @Actor
  public void collector() {
    release[0].run();
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

  /** Takes all slots. */
  @Arbiter
  public void slots(ZZ_Result result) {
    result.r1 = cache.pins().count() == 0;
    result.r2 = StressMemory.takeAllSlots(cache, 2);
  }
}
