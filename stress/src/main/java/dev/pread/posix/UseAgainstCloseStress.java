/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * A user comes while another thread closes: it never sees the resource released while it uses it,
 * and the resource is released once, whoever is last. There are two actors, so that it runs on two
 * cores.
 */
@JCStressTest
@Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "whole to its user, released once")
@Outcome(expect = Expect.FORBIDDEN, desc = "used after release, released twice, or never")
@State
public class UseAgainstCloseStress {

  private final UseCount users = new UseCount();
  private final AtomicInteger releases = new AtomicInteger();

  /** Uses it, if it is open. */
  @Actor
  public void user(II_Result result) {
    int stripe = users.enter();
    if (stripe >= 0) {
      result.r1 = releases.get();
      if (users.leave(stripe)) {
        releases.incrementAndGet();
      }
    } else if (stripe == UseCount.CLOSED_AND_LAST) {
      releases.incrementAndGet();
    }
  }

  /** Closes it. */
  @Actor
  public void closer() {
    if (users.close()) {
      releases.incrementAndGet();
    }
  }

  /** Counts how often it was released in the end. */
  @Arbiter
  public void releases(II_Result result) {
    result.r2 = releases.get();
  }
}
