/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/**
 * Two users of a closed resource leave at once, from different stripes or the same: one of them,
 * and only one, is told to release it.
 */
@JCStressTest
@Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "released once")
@Outcome(expect = Expect.FORBIDDEN, desc = "released twice, or never")
@State
public class LastUserStress {

  private final UseCount users = new UseCount();
  private final AtomicInteger releases = new AtomicInteger();
  private final int first;
  private final int second;

  /** Two users enter, then it is closed. */
  public LastUserStress() {
    first = users.enter();
    // The stripe of another thread: users of one stripe would meet at one counter.
    second = users.enterStripe(first + 1);
    if (users.close()) {
      releases.incrementAndGet();
    }
  }

  /** Leaves. */
  @Actor
  public void firstUser() {
    if (users.leave(first)) {
      releases.incrementAndGet();
    }
  }

  /** Leaves. */
  @Actor
  public void secondUser() {
    if (users.leave(second)) {
      releases.incrementAndGet();
    }
  }

  /** Counts how often it was released in the end. */
  @Arbiter
  public void releases(I_Result result) {
    result.r1 = releases.get();
  }
}
