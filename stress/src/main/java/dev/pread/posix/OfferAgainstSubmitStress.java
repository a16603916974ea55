/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * Two threads offer and submit: whoever finds another submitting leaves its read to it, and no read
 * is left behind.
 */
@JCStressTest
@Outcome(id = "0, 2", expect = Expect.ACCEPTABLE, desc = "all have begun, and end once")
@Outcome(expect = Expect.FORBIDDEN, desc = "a read that nobody begins, or that ends twice")
@State
public class OfferAgainstSubmitStress {

  private static final ByteBuffer BYTES = ByteBuffer.allocateDirect(Long.BYTES);

  private final StressDevice device = new StressDevice(1, false);
  private final AtomicInteger ended = new AtomicInteger();

  private final class Read extends QueuedRead {
    Read() {
      super(new IoVector(1, null, null));
      memory().add(BYTES, 0, Long.BYTES);
    }

    @Override
    protected void ended(long result) {
      ended.incrementAndGet();
    }
  }

  private void read() {
    boolean ignored = device.offer(new Read());
    device.queue().submit();
  }

  /** Reads. */
  @Actor
  public void one() {
    read();
  }

  /** Reads as well. */
  @Actor
  public void other() {
    read();
  }

  /** Counts what has not begun, and what has ended. */
  @Arbiter
  public void reads(II_Result result) {
    result.r1 = device.queue().waiting();
    while (device.queue().reap(0) > 0) {
      Thread.onSpinWait();
    }
    result.r2 = ended.get();
    // It is closed so that it does not take the collector to end it.
    device.queue().close();
  }
}
