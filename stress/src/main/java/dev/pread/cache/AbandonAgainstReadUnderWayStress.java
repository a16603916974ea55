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
 * A thread has waited too long for a read, takes its slot out of the table and wants another, while
 * the event comes after all: the slot stays the device's until the event has come, and is free
 * then. The block is in the cache no more, whichever comes first.
 */
@JCStressTest
@Outcome(
    id = {"0, 0, 1", "2, 0, 1"},
    expect = Expect.ACCEPTABLE,
    desc = "no slot, or one of its own; the block is not there; all can be had once")
@Outcome(
    expect = Expect.FORBIDDEN,
    desc = "the device writes into another block, the block is found, or a slot is lost")
@State
public class AbandonAgainstReadUnderWayStress {

  private final SlotCache cache = StressMemory.cache(1);
  private final CachedFile file = cache.files().open(null, "f", StressMemory.BLOCK);
  private final CachedFile other = cache.files().open(null, "o", StressMemory.BLOCK);
  private final StressFile device = new StressFile(1, false);
  private final FillWait wait = new FillWait(file, 0);
  private final Slot slot;
  private final long version;
  private Slot taken;

  /** Begins the read. */
  public AbandonAgainstReadUnderWayStress() {
    file.prefetch(0, StressMemory.BLOCK, device);
    slot = file.find(0);
    version = slot.acquire();
  }

  /** Has waited long enough, and takes a slot if one is free. */
  @Actor
  public void waiter() {
    wait.abandon(slot, version);
    taken = cache.obtainUnused(null, 0, true);
    if (taken != null && other.install(0, taken)) {
      cache.chunk(taken).bytes().putLong(cache.offset(taken), 2);
      cache.publish(taken, other, 0, EvictionShard.Reason.READ);
    }
  }

  /** Notices the event. */
  @Actor
  public void reaper() {
    cache.queues().flush();
  }

  /** Looks at both blocks once the device has done, then takes all slots. */
  @Arbiter
  public void slots(III_Result result) {
    StressMemory.settle(cache);
    result.r1 = taken == null ? 0 : (int) StressMemory.value(cache, taken);
    result.r2 = file.find(0) == null ? 0 : 1;
    boolean isCounted = cache.counters().sum(Counter.BLOCKS) == (taken == null ? 0 : 1);
    file.close();
    other.close();
    result.r3 = isCounted && StressMemory.takeAllSlots(cache, 1) ? 1 : 0;
    // It is closed so that it does not take the collector to end the queue.
    cache.close();
  }
}
