/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import dev.pread.posix.QueuedRead;
import dev.pread.posix.ReadQueue;
import dev.pread.posix.ReadTarget;
import dev.pread.posix.ReadableFile;
import dev.pread.posix.StressDevice;
import dev.pread.posix.VectorPool;
import java.io.IOException;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * The device is reading into slots while their file is closed and somebody else wants them: nobody
 * has them before the device has done with them, and then each is free once.
 */
@JCStressTest
@Outcome(
    id = {"0, 1", "2, 1"},
    expect = Expect.ACCEPTABLE,
    desc = "no slot yet, or one that stays as it was filled; all can be had once")
@Outcome(
    expect = Expect.FORBIDDEN,
    desc = "the device writes into another block, or a slot is lost")
@State
public class ReadUnderWayAgainstCloseStress {

  private final SlotCache cache = StressMemory.cache(2);
  private final CachedFile file = cache.files().open(null, "f", 2 * StressMemory.BLOCK);
  private final CachedFile other = cache.files().open(null, "o", StressMemory.BLOCK);
  private final Device device = new Device();
  private Slot taken;

  /** A file on a device, which only a queue can read. */
  private static final class Device implements ReadableFile {

    private final ReadableFile memory = StressMemory.source(1);
    private final StressDevice device = new StressDevice(1);

    @Override
    public VectorPool vectors() {
      return memory.vectors();
    }

    @Override
    public int readFully(long position, ReadTarget target, int atLeast, int room)
        throws IOException {
      return memory.readFully(position, target, atLeast, room);
    }

    @Override
    public boolean offer(ReadQueue queue, QueuedRead read, long position) {
      return device.offer(read);
    }

    @Override
    public ReadQueue openQueue(int depth) {
      return device.queue();
    }
  }

  /** Begins the read. */
  public ReadUnderWayAgainstCloseStress() {
    file.prefetch(0, 2 * StressMemory.BLOCK, device);
  }

  /** Closes the file. */
  @Actor
  public void closer() {
    file.close();
  }

  /** Wants a slot. */
  @Actor
  public void filler() {
    taken = StressMemory.load(other, 0, 1, StressMemory.source(2));
  }

  /** Looks at the slot once the device has done, then takes all slots. */
  @Arbiter
  public void slots(II_Result result) {
    while (cache.prefetcher().isBusy()) {
      cache.prefetcher().flush();
    }
    result.r1 = taken == null ? 0 : (int) cache.chunk(taken).bytes().getLong(cache.offset(taken));
    other.close();
    CachedFile a = cache.files().open(null, "a", StressMemory.BLOCK);
    CachedFile b = cache.files().open(null, "b", StressMemory.BLOCK);
    Slot first = StressMemory.load(a, 0, 1, StressMemory.source(3));
    Slot second = StressMemory.load(b, 0, 1, StressMemory.source(4));
    boolean all = first != null && second != null && first.index != second.index;
    result.r2 = all && cache.counters().blocks() == 2 ? 1 : 0;
    // So that it does not take the collector to end the queue.
    cache.close();
  }
}
