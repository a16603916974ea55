/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JI_Result;

/**
 * A block is moved to the slot its extent keeps for it, while the slot it is in is taken away and
 * filled with another file's: the file has its own block in the end, or none.
 */
@JCStressTest
@Outcome(
    id = {"1, 1", "-1, 1"},
    expect = Expect.ACCEPTABLE,
    desc = "the block is right or gone, and the other one is there or could not get the slot")
@Outcome(expect = Expect.FORBIDDEN, desc = "another file's bytes for its own, or a slot was lost")
@State
public class MoveAgainstRefillStress {

  private final SlotCache cache = StressMemory.cache(4);
  private final CachedFile file = cache.files().open(null, "f", 2 * StressMemory.BLOCK);
  private final CachedFile other = cache.files().open(null, "g", StressMemory.BLOCK);

  /** Brings the file in, and has its extent end, as when the room was wanted for a moment. */
  public MoveAgainstRefillStress() {
    StressMemory.load(file, 0, 2, StressMemory.source(1));
    file.extent(0).end();
  }

  /** Moves the blocks. */
  @Actor
  public void mover() {
    file.extents().complete(0, StressMemory.source(1));
  }

  /** Evicts a block, and fills its slot with another file's. */
  @Actor
  public void refiller() {
    Slot evicted = cache.evict(other.hash(0), false);
    if (evicted != null && other.install(0, evicted)) {
      cache.chunk(evicted).bytes().putLong(cache.offset(evicted), 2);
      cache.publish(evicted, other, 0, EvictionShard.Reason.READ);
    }
  }

  /** Reads the first block, then takes all slots. */
  @Arbiter
  public void block(JI_Result result) {
    byte[] bytes = new byte[StressMemory.BLOCK];
    result.r1 = file.copy(0, bytes, 0, bytes.length) == bytes.length ? bytes[0] : -1;
    file.close();
    other.close();
    result.r2 = StressMemory.takeAllSlots(cache, 4) ? 1 : 0;
  }
}
