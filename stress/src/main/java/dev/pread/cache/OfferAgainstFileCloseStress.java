/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/**
 * A read that would wait for others to come is offered while what it reads is closed: one of the
 * two threads begins it, since a read that waits holds on to the descriptor.
 */
@JCStressTest
@Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "begun by who offers it, or by the close")
@Outcome(expect = Expect.FORBIDDEN, desc = "a descriptor that stays open")
@State
public class OfferAgainstFileCloseStress {

  private final StressPages.File file = new StressPages.File(StressPages.pages(), 1, true);

  /** Begins a read, so that the next one waits. */
  public OfferAgainstFileCloseStress() {
    file.announce(0);
  }

  /** Offers a read. */
  @Actor
  public void reader() {
    file.announce(1);
  }

  /** Closes what it reads. */
  @Actor
  public void closer() {
    file.closeSource();
  }

  /** Counts what has not begun. */
  @Arbiter
  public void waiting(I_Result result) {
    result.r1 = file.waiting();
    file.close();
  }
}
