/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pread.Fixtures;
import dev.pread.posix.Backend;
import dev.pread.posix.OpenMode;
import dev.pread.posix.PosixFile;
import dev.pread.posix.ScriptedCalls;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which announced reads begin together, where nobody learns that the device has ended a read. */
class FillQueueTest extends QueuedPrefetchTestCase {

  /** How many reads each call has begun. */
  private final List<Integer> begun = new CopyOnWriteArrayList<>();

  private final CountDownLatch isWaiting = new CountDownLatch(1);
  private final CountDownLatch mayEnd = new CountDownLatch(1);
  private final SlotCache other = new SlotCache(SLOTS * BLOCK, BITS, memory());
  private PosixFile direct;
  private CachedFile blocks;

  @BeforeEach
  void openAnother() throws IOException {
    Backend scripted =
        new Backend(
            ScriptedCalls.of(
                callsWithEvents(0),
                (name, arguments) -> {
                  if (name.equals("ioSubmit") && !arguments[3].equals(0)) {
                    begun.add((int) arguments[3]);
                  }
                  if (name.equals("ioGetEvents") && arguments[1].equals(1)) {
                    waitForTheEnd();
                  }
                  return null;
                }));
    direct = scripted.open(path, OpenMode.READ_DIRECT);
    blocks = other.files().open(null, "f", content.length);
    // This leaves no slot free, so that each block is read by itself.
    for (int block = BLOCKS - SLOTS - 20; block < BLOCKS; block++) {
      check(blocks, block, direct);
    }
  }

  @AfterEach
  void closeAnother() throws IOException {
    mayEnd.countDown();
    other.close();
    if (direct != null) {
      blocks.close();
      direct.close();
    }
  }

  private void waitForTheEnd() {
    isWaiting.countDown();
    Fixtures.awaitQuietly(mayEnd);
  }

  /** Announces blocks that are no neighbours. */
  private void announce(int from, int to) {
    for (int i = from; i < to; i++) {
      blocks.prefetch((7L * i) << BITS, 1, direct);
    }
  }

  @Test
  void theFirstReadsBeginSoonAndMoreOfThemTogetherTheMoreThereAre() throws IOException {
    announce(0, 1);
    assertEquals(List.of(1), begun);
    announce(1, 3);
    assertEquals(List.of(1), begun);
    announce(3, 4);
    assertEquals(List.of(1, 3), begun);
    announce(4, 11);
    assertEquals(List.of(1, 3), begun);
    announce(11, 12);
    assertEquals(List.of(1, 3, 8), begun);
    mayEnd.countDown();
    for (int i = 0; i < 12; i++) {
      check(blocks, 7 * i, direct);
    }
    assertEquals(12, other.counters().sum(Counter.PREFETCHES));
  }

  /** Then the device has enough to do, and each call costs the others processor time. */
  @Test
  void whileAnotherThreadWaitsEightBeginTogether() throws Exception {
    announce(0, 1);
    ExecutorService executor = Executors.newSingleThreadExecutor();
    try {
      Future<?> reader = executor.submit(this::checkFirst);
      Fixtures.await(isWaiting);
      announce(1, 9);
      assertEquals(List.of(1, 8), begun);
      mayEnd.countDown();
      reader.get(Fixtures.TIMEOUT_SECONDS, TimeUnit.SECONDS);
    } finally {
      mayEnd.countDown();
      executor.shutdownNow();
    }
  }

  private Void checkFirst() throws IOException {
    check(blocks, 0, direct);
    return null;
  }
}
