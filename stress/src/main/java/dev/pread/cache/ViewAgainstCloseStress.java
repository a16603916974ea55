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
 * A file's last block is filled while it is closed, and its memory is handed out if it was complete
 * for a moment: then nothing else gets that memory. One thread fills and looks: three would not be
 * run on two processors.
 */
@JCStressTest
@Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "not handed out, and all slots are free")
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "handed out, and as it was")
@Outcome(expect = Expect.FORBIDDEN, desc = "a slot was lost, or reused while it was looked at")
@State
public class ViewAgainstCloseStress {

  private final SlotCache cache = StressMemory.cache(2);
  private final CachedFile file = cache.files().open(null, "f", 2 * StressMemory.BLOCK);
  private final Extent extent = file.extents().place(0);
  private Object view;

  /** Brings the file in, and has its memory handed out. */
  @Actor
  public void reader() {
    StressMemory.load(file, 0, 2, StressMemory.source(1));
    view = extent.view((chunk, base, size, release) -> new Object());
  }

  /** Closes it. */
  @Actor
  public void closer() {
    file.close();
  }

  /** Takes what is free, and looks. */
  @Arbiter
  public void memory(II_Result result) {
    int taken = 0;
    for (int i = 0; i < 2; i++) {
      CachedFile other = cache.files().open(null, "g", StressMemory.BLOCK);
      taken += StressMemory.load(other, 0, 1, StressMemory.source(2)) == null ? 0 : 1;
    }
    result.r1 = view == null ? 0 : 1;
    boolean same =
        extent.chunk().bytes().getLong(extent.base()) == 1
            && extent.chunk().bytes().getLong(extent.base() + StressMemory.BLOCK) == 1;
    result.r2 = view == null ? (taken == 2 ? 1 : 0) : (same && taken == 0 ? 1 : 0);
  }
}
