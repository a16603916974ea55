/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** An extent is made for a file that is being closed: it keeps no slot. */
@JCStressTest
@Outcome(id = "2", expect = Expect.ACCEPTABLE, desc = "both slots can be had")
@Outcome(expect = Expect.FORBIDDEN, desc = "kept for a file that is closed")
@State
public class PlaceAgainstCloseStress {

  private final SlotCache cache = StressMemory.cache(2);
  private final CachedFile file = cache.files().open(null, "f", 2 * StressMemory.BLOCK);

  /** Makes the extent. */
  @Actor
  public void placer() {
    Extent ignored = file.extents().place(0);
  }

  /** Closes the file. */
  @Actor
  public void closer() {
    file.close();
  }

  /** Takes all slots that can be had without an end to what is kept. */
  @Arbiter
  public void slots(I_Result result) {
    for (int i = 0; i < 2; i++) {
      CachedFile other = cache.files().open(null, "g", StressMemory.BLOCK);
      result.r1 += cache.obtain(other, 0, false, false) == null ? 0 : 1;
    }
  }
}
