/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A file's memory is handed out while its slots are wanted for another one: one of both. */
@JCStressTest
@Outcome(id = "0, 2", expect = Expect.ACCEPTABLE, desc = "not handed out, and reused")
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "handed out, and as it was")
@Outcome(expect = Expect.FORBIDDEN, desc = "reused while it was looked at, or kept for nobody")
@State
public class ViewAgainstEvictStress {

  private final SlotCache cache = StressMemory.cache(2);
  private final CachedFile file = cache.files().open(null, "f", 2 * StressMemory.BLOCK);
  private final CachedFile other = cache.files().open(null, "g", StressMemory.BLOCK);
  private final Extent extent;
  private Object view;

  /** Brings the file in. */
  public ViewAgainstEvictStress() {
    StressMemory.load(file, 0, 2, StressMemory.source(1));
    extent = file.extent(0);
  }

  /** Has its memory handed out. */
  @Actor
  public void viewer() {
    view = extent.view((chunk, base, size, release) -> new Object());
  }

  /** Wants a slot. */
  @Actor
  public void evictor() {
    StressMemory.load(other, 0, 1, StressMemory.source(2));
  }

  /** What is in the file's memory. */
  @Arbiter
  public void memory(II_Result result) {
    result.r1 = view == null ? 0 : 1;
    result.r2 =
        (int)
            Math.max(
                extent.chunk().bytes().getLong(extent.base()),
                extent.chunk().bytes().getLong(extent.base() + StressMemory.BLOCK));
  }
}
