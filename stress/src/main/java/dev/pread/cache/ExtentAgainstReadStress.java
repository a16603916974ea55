/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import java.lang.invoke.VarHandle;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.J_Result;

/**
 * An extent becomes complete, then ends and its slots are another file's, under a reader that asks
 * it alone: it reads the last block right, or not at all.
 */
@JCStressTest
@Outcome(
    id = {"-1", "1"},
    expect = Expect.ACCEPTABLE,
    desc = "not complete, no longer, or right")
@Outcome(expect = Expect.FORBIDDEN, desc = "read before it was filled, or after it was reused")
@State
public class ExtentAgainstReadStress {

  private final SlotCache cache = StressMemory.cache(2);
  private final CachedFile file = cache.files().open(null, "f", 2 * StressMemory.BLOCK);
  private final CachedFile other = cache.files().open(null, "g", StressMemory.BLOCK);
  private final Extent extent = file.extents().place(0);

  /** Completes it, then wants the room. */
  @Actor
  public void writer() {
    StressMemory.load(file, 0, 2, StressMemory.source(1));
    StressMemory.load(other, 0, 1, StressMemory.source(2));
  }

  /** Reads in it. */
  @Actor
  public void reader(J_Result result) {
    long version = extent.acquire();
    result.r1 = -1;
    if (Guard.isStable(version)) {
      long value = extent.chunk().bytes().getLong(extent.base());
      VarHandle.loadLoadFence();
      if (extent.is(version)) {
        result.r1 = value;
      }
    }
  }
}
