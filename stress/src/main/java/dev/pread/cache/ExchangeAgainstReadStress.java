/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/**
 * The blocks of a file are exchanged with those of another in a full cache, while a reader reads a
 * block of each where it lay before. The reader reads the right value or learns that it has to look
 * again.
 */
@JCStressTest
@Outcome(
    id = {"1, 2", "1, -1", "-1, 2", "-1, -1"},
    expect = Expect.ACCEPTABLE,
    desc = "right, or looked up again")
@Outcome(expect = Expect.FORBIDDEN, desc = "another file's bytes")
@State
public class ExchangeAgainstReadStress {

  private static final int BLOCKS = 4;

  private final SlotCache cache = StressMemory.cache(2 * BLOCKS);
  private final CachedFile file = cache.files().open(null, "f", BLOCKS * StressMemory.BLOCK);
  private final CachedFile other = cache.files().open(null, "g", BLOCKS * StressMemory.BLOCK);
  private final Slot own;
  private final Slot others;
  private final long ownVersion;
  private final long othersVersion;

  /**
   * Brings both files in, and has their extents end, so that the first has to move to the other.
   */
  public ExchangeAgainstReadStress() {
    StressMemory.load(other, 0, BLOCKS, StressMemory.source(2));
    StressMemory.load(file, 0, BLOCKS, StressMemory.source(1));
    other.extents().forEach(Extent::end);
    file.extents().forEach(Extent::end);
    for (int block = 0; block < BLOCKS; block++) {
      for (int i = 0; i < Slot.MAX_USES; i++) {
        other.find(block).touch();
      }
    }
    own = file.find(0);
    others = other.find(0);
    ownVersion = own.acquire();
    othersVersion = others.acquire();
  }

  /** Reads under the versions that were found. */
  @Actor
  public void reader(JJ_Result result) {
    result.r1 = StressMemory.read(cache, own, ownVersion);
    result.r2 = StressMemory.read(cache, others, othersVersion);
  }

  /** Brings the file together. */
  @Actor
  public void gatherer() {
    file.extents().gather(0, StressMemory.source(1));
  }
}
