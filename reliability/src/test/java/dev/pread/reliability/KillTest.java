/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.reliability;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.Fixtures;
import dev.pread.PreadConfig;
import dev.pread.posix.BackendRegistry;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.NIOFSDirectory;
import org.apache.lucene.util.IOUtils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A process that indexes is killed, again and again, with {@code SIGKILL} and at any moment: every
 * commit that had returned is there, and the next process goes on as if nothing had been.
 */
class KillTest {

  private static final int EXIT_OF_KILLED = 128 + 9;
  private static final int LONGEST_LIFE_MILLIS = 600;

  @TempDir Path temp;

  private final long rounds = Campaign.size(10, 20, 1000);
  private final ScheduledExecutorService killer = Executors.newSingleThreadScheduledExecutor();
  private final AtomicLong begun = new AtomicLong();
  private final AtomicLong kills = new AtomicLong();
  private final AtomicLong commits = new AtomicLong();
  private final AtomicLong unannounced = new AtomicLong();
  private final AtomicLong withLeftOvers = new AtomicLong();

  @AfterEach
  void stop() {
    killer.shutdownNow();
  }

  @Test
  void whatWasAcknowledgedIsThereAfterAKill() throws Exception {
    System.out.println("KillTest: " + rounds + " rounds, seed " + Fixtures.SEED);
    try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
      List<Callable<Void>> folders = List.of(() -> rounds(1), () -> rounds(2));
      for (Future<Void> ended : threads.invokeAll(folders)) {
        ended.get();
      }
    }
    System.out.println(figures());
    assertTrue(withLeftOvers.get() > rounds / 4, "kills come too late or too soon: " + figures());
    assertTrue(commits.get() > rounds / 2, "too few commits to tell: " + figures());
  }

  private String figures() {
    return String.format(
        Locale.ROOT,
        "KillTest: %s kills, %s commits acknowledged, %s later ones found, %s kills amid work",
        kills,
        commits,
        unannounced,
        withLeftOvers);
  }

  private Void rounds(int thread) throws Exception {
    SplittableRandom random = new SplittableRandom(Fixtures.SEED + thread);
    Life life = new Life(random.nextLong());
    while (begun.incrementAndGet() <= rounds) {
      try {
        life.liveAndDie(random);
      } catch (Throwable t) {
        begun.addAndGet(rounds); // The other thread has nothing to add.
        throw t;
      }
      if (kills.incrementAndGet() % 50 == 0) {
        System.out.println(figures());
      }
      if (random.nextInt(8) == 0) {
        life.end();
        life = new Life(random.nextLong());
      }
    }
    life.end();
    return null;
  }

  /** That of one index, through the lives of several processes. */
  private final class Life {

    private final long seed;
    private final Path folder;
    private final NumberedIndex index;
    private long last;

    Life(long seed) throws IOException {
      this.seed = seed;
      this.folder = Files.createTempDirectory(temp, "killed");
      this.index = new NumberedIndex(seed);
    }

    void liveAndDie(SplittableRandom random) throws Exception {
      String backend = BackendRegistry.names().get(random.nextInt(BackendRegistry.names().size()));
      boolean direct = random.nextBoolean();
      int millis = random.nextInt(LONGEST_LIFE_MILLIS);
      // Some die while they open the index, most when they have begun to commit.
      String since = random.nextInt(4) == 0 ? KilledWriter.OPENING : KilledWriter.COMMITTED;
      String text =
          String.format(
              Locale.ROOT,
              "index %d from %d on, %s, direct=%s, killed %d ms after %s",
              seed,
              last,
              backend,
              direct,
              millis,
              since);
      Process child = ChildJvm.start(KilledWriter.class, folder, seed, backend, direct);
      long acknowledged = kill(child, since, millis, text);
      try (Directory directory = new NIOFSDirectory(folder)) {
        if (!NumberedIndex.leftOver(directory).isEmpty()) {
          withLeftOvers.incrementAndGet();
        }
      }
      try {
        last = index.check(folder, acknowledged);
      } catch (Throwable t) {
        throw new AssertionError(text + ", " + acknowledged + " acknowledged: " + folder, t);
      }
      if (last > acknowledged) {
        unannounced.incrementAndGet();
      }
    }

    /** Returns the number of the last commit that the child has said has returned. */
    private long kill(Process child, String since, int millis, String text) throws Exception {
      StringBuilder said = new StringBuilder();
      long acknowledged = last;
      boolean begun = false;
      ScheduledFuture<?> kill =
          killer.schedule(
              child.toHandle()::destroyForcibly, Fixtures.TIMEOUT_SECONDS, TimeUnit.SECONDS);
      try (BufferedReader lines = child.inputReader()) {
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
          said.append(line).append('\n');
          if (!begun && line.startsWith(since)) {
            begun = true;
            kill.cancel(false);
            kill =
                killer.schedule(child.toHandle()::destroyForcibly, millis, TimeUnit.MILLISECONDS);
          }
          if (line.startsWith(KilledWriter.COMMITTED)) {
            acknowledged = Long.parseLong(line.substring(KilledWriter.COMMITTED.length()));
            commits.incrementAndGet();
          }
        }
      } finally {
        kill.cancel(false);
        child.destroyForcibly();
      }
      assertEquals(EXIT_OF_KILLED, child.waitFor(), text + " ended by itself: " + said);
      assertTrue(begun, text + " never began: " + said);
      return acknowledged;
    }

    /** A last process finds what the others have left behind, and leaves an index and no more. */
    void end() throws IOException {
      PreadConfig.Builder config = PreadConfig.builder();
      try (Directory directory = KilledWriter.open(folder, config, false)) {
        index.work(directory, 20, number -> last = number);
        NumberedIndex.checkNothingIsLeftOver(directory);
      }
      assertEquals(last, index.check(folder, last));
      IOUtils.rm(folder);
    }
  }
}
