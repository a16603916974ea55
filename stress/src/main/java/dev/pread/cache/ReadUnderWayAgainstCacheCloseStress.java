/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * The device is reading into slots while the whole cache is closed, and somebody wants the blocks:
 * the memory is given back once the device has done with it, and not before.
 */
@JCStressTest
@Outcome(
    id = {"1, 0, 0", "-1, 0, 0"},
    expect = Expect.ACCEPTABLE,
    desc = "right, or not from the cache; then nothing is left")
@Outcome(
    expect = Expect.FORBIDDEN,
    desc = "a wrong byte, a block that outlives the cache, or a write into memory given back")
@State
public class ReadUnderWayAgainstCacheCloseStress {

  private final SlotCache cache = StressMemory.cache(2);
  private final CachedFile file = cache.files().open(null, "f", 2 * StressMemory.BLOCK);
  private final Extent extent = file.extents().place(0);
  private final StressFile device = new StressFile(1, true);

  /** Begins the read. */
  public ReadUnderWayAgainstCacheCloseStress() {
    file.prefetch(0, 2 * StressMemory.BLOCK, device);
  }

  /** Wants one of the blocks. */
  @Actor
  public void reader(III_Result result) {
    result.r1 = (int) StressMemory.loadAndRead(file, 1, device);
  }

  /** Closes the cache. */
  @Actor
  public void closer() {
    cache.close();
  }

  /** Counts blocks, and looks at memory that reads as zeros once it has been given back. */
  @Arbiter
  public void memory(III_Result result) {
    device.device().finish();
    result.r2 = (int) cache.counters().sum(Counter.BLOCKS);
    result.r3 = (int) extent.chunk().bytes().getLong(extent.base());
  }
}
