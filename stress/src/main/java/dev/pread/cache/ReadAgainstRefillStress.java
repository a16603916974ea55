/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/**
 * A reader has found a block in the only slot; another block takes that slot over. The reader reads
 * the right value or learns that it has to look again. Two reads, since the second must not be
 * right by the first's look at the version.
 */
@JCStressTest
@Outcome(
    id = {"1, 1", "1, -1", "-1, -1"},
    expect = Expect.ACCEPTABLE,
    desc = "right, or looked up again")
@Outcome(expect = Expect.FORBIDDEN, desc = "another block's bytes, or right after wrong")
@State
public class ReadAgainstRefillStress {

  private final SlotCache cache = StressMemory.cache(1);
  private final CachedFile file = cache.files().open(null, "one", StressMemory.BLOCK);
  private final CachedFile other = cache.files().open(null, "two", StressMemory.BLOCK);
  private final Slot slot;
  private final long version;

  /** Brings the block in. */
  public ReadAgainstRefillStress() {
    slot = StressMemory.load(file, 0, 1, StressMemory.source(1));
    version = slot.acquire();
  }

  /** Reads under the version that was found. */
  @Actor
  public void reader(JJ_Result result) {
    result.r1 = StressMemory.read(cache, slot, version);
    result.r2 = StressMemory.read(cache, slot, version);
  }

  /** Evicts the block and fills the slot with another file's. */
  @Actor
  public void refiller() {
    StressMemory.load(other, 0, 1, StressMemory.source(2));
  }
}
