/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/**
 * A cache is made so small that one of its two pages has to go, while a reader reads a block of
 * each. What is in the page that goes is evicted or moved, and its memory is zero afterwards. The
 * reader reads the right value or learns that it has to look again.
 */
@JCStressTest
@Outcome(
    id = {"1, 1", "1, -1", "-1, 1", "-1, -1"},
    expect = Expect.ACCEPTABLE,
    desc = "right, or looked up again")
@Outcome(expect = Expect.FORBIDDEN, desc = "memory that was given back, or another block")
@State
public class GiveBackAgainstReadStress {

  /** The blocks of the file: as many as a page has, and some that lie in another page. */
  private static final int BLOCKS = 12;

  private final SlotCache cache = StressMemory.cache(2 * StressMemory.PAGE_BLOCKS);
  private final CachedFile file = cache.files().open(null, "f", BLOCKS * StressMemory.BLOCK);
  private final Slot first;
  private final Slot last;
  private final long firstVersion;
  private final long lastVersion;

  /** Brings the blocks in, and makes one of them hot. */
  public GiveBackAgainstReadStress() {
    first = StressMemory.load(file, 0, BLOCKS, StressMemory.source(1));
    last = file.find(BLOCKS - 1);
    for (int i = 0; i < Slot.MAX_USES; i++) {
      last.touch();
    }
    firstVersion = first.acquire();
    lastVersion = last.acquire();
  }

  /** Reads under the versions that were found. */
  @Actor
  public void reader(JJ_Result result) {
    result.r1 = StressMemory.read(cache, first, firstVersion);
    result.r2 = StressMemory.read(cache, last, lastVersion);
  }

  /** Makes the cache smaller by a page. */
  @Actor
  public void shrinker() {
    cache.resize((long) StressMemory.PAGE_BLOCKS * StressMemory.BLOCK, false);
  }
}
