/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

import java.nio.ByteBuffer;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * A queue is closed while a read of it is under way, and somebody offers another and reaps. Each
 * read that was accepted ends once, and after that the device writes no more into its memory.
 */
@JCStressTest
@Outcome(id = "1, 0, 1", expect = Expect.ACCEPTABLE, desc = "all have ended, once the device had")
@Outcome(
    expect = Expect.FORBIDDEN,
    desc = "a read that has not ended, or twice, or before the device had done with it")
@State
public class QueueCloseStress {

  /** What the owner of the memory writes into it once it is his again. */
  private static final long OWN = 2;

  private final StressDevice device = new StressDevice(1, false);
  private final Read underWay = new Read();
  private final Read late = new Read();
  private boolean isAccepted;

  private static final class Read extends QueuedRead {

    private int ends;

    Read() {
      super(new IoVector(1, null, null));
      memory().add(ByteBuffer.allocateDirect(Long.BYTES), 0, Long.BYTES);
    }

    @Override
    protected void ended(long result) {
      ends++;
      memory().memory(0).putLong(0, OWN);
    }

    boolean isOwn() {
      return ends == 0 || memory().memory(0).getLong(0) == OWN;
    }
  }

  /** Begins one of the reads. */
  public QueueCloseStress() {
    boolean ignored = device.offer(underWay);
    device.queue().submit();
  }

  /** Begins another, and ends what the device has done. */
  @Actor
  public void reader() {
    isAccepted = device.offer(late);
    device.queue().submit();
    int ignored = device.queue().reap(0);
  }

  /** Closes the queue. */
  @Actor
  public void closer() {
    device.queue().close();
  }

  /** Counts what has ended, and looks at the memory once the device has done everything. */
  @Arbiter
  public void reads(III_Result result) {
    device.finish();
    result.r1 = underWay.ends;
    result.r2 = late.ends - (isAccepted ? 1 : 0);
    result.r3 = underWay.isOwn() && late.isOwn() && !device.wasCalledTooLate() ? 1 : 0;
  }
}
