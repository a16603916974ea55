/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.Fixtures;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;

class UseCountTest {

  @Test
  void closingWithoutUsersReleasesAtOnceAndOnce() {
    UseCount count = new UseCount();
    assertTrue(count.isOpen());
    assertTrue(count.close());
    assertFalse(count.isOpen());
    assertFalse(count.close(), "the second close must not release again");
    assertEquals(UseCount.CLOSED, count.enter());
    assertEquals(UseCount.CLOSED, count.enter());
    assertFalse(count.close());
  }

  @Test
  void usersThatComeAndGoReleaseNothingWhileOpen() {
    UseCount count = new UseCount();
    for (int i = 0; i < 3; i++) {
      int stripe = count.enter();
      assertTrue(stripe >= 0);
      assertFalse(count.leave(stripe));
    }
    assertTrue(count.isOpen());
    assertTrue(count.close());
  }

  @Test
  void theLastUserToLeaveReleases() throws Exception {
    UseCount count = new UseCount();
    // They come from several threads, so that several stripes are in use.
    List<Integer> stripes = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      Thread thread = new Thread(() -> stripes.add(count.enter()));
      thread.start();
      thread.join();
    }
    assertTrue(stripes.stream().distinct().count() > 1, "one stripe only: " + stripes);
    assertFalse(count.close());
    assertFalse(count.close());
    for (int i = 0; i < stripes.size() - 1; i++) {
      assertFalse(count.leave(stripes.get(i)), "user " + i + " of " + stripes.size());
      assertEquals(UseCount.CLOSED, count.enter(), "closed to newcomers while users are inside");
    }
    assertTrue(count.leave(stripes.get(stripes.size() - 1)));
    assertEquals(UseCount.CLOSED, count.enter());
    assertFalse(count.close());
  }

  /** One round: users enter and leave all the time while some threads close. */
  private static final class Round {
    final UseCount count = new UseCount();
    final AtomicInteger releases = new AtomicInteger();
    final AtomicBoolean gone = new AtomicBoolean();

    void release() {
      gone.set(true);
      releases.incrementAndGet();
    }

    /** Returns false once closed. */
    boolean use(int work) {
      int stripe = count.enter();
      if (stripe < 0) {
        if (stripe == UseCount.CLOSED_AND_LAST) {
          release();
        }
        return false;
      }
      boolean usable = true;
      for (int i = 0; i < work; i++) {
        usable &= !gone.get();
      }
      if (count.leave(stripe)) {
        release();
      }
      assertTrue(usable, "released under a user");
      return true;
    }
  }

  @Test
  void underManyThreadsItReleasesOnceAndUnderNobody() throws Exception {
    int rounds = 1000;
    int threads = 6;
    Round[] all = new Round[rounds];
    for (int i = 0; i < rounds; i++) {
      all[i] = new Round();
    }
    CyclicBarrier barrier = new CyclicBarrier(threads);
    AtomicIntegerArray uses = new AtomicIntegerArray(rounds);
    Fixtures.inThreads(
        threads,
        thread -> {
          for (int i = 0; i < rounds; i++) {
            Round round = all[i];
            barrier.await(Fixtures.TIMEOUT_SECONDS, TimeUnit.SECONDS);
            if (thread < 2) {
              // There are two closers, at another moment each round.
              for (int n = 0; n < i % 50; n++) {
                round.use(1);
              }
              if (round.count.close()) {
                round.release();
              }
            } else {
              while (round.use(i % 20)) {
                uses.incrementAndGet(i);
              }
            }
          }
        });
    for (int i = 0; i < rounds; i++) {
      assertEquals(1, all[i].releases.get(), "releases in round " + i);
    }
    long used = java.util.stream.IntStream.range(0, rounds).filter(i -> uses.get(i) > 0).count();
    assertTrue(used > 0, "no user got in before the close in any round");
  }
}
