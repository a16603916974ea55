/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.memory;

import static dev.pread.memory.FakeKernel.MIB;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.Fixtures;
import dev.pread.posix.Errno;
import dev.pread.posix.ScriptedCalls;
import dev.pread.posix.SystemCalls;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What processes tell each other by the names of threads, on files that are made up. */
class PeersTest {

  private static final long BETWEEN_SEARCHES = TimeUnit.SECONDS.toNanos(2);

  @TempDir Path root;

  private final SystemCalls calls = Fixtures.backend().calls();
  private FakeKernel kernel;
  private MemoryLevel level;
  private Peers peers;
  private long now;

  @BeforeEach
  void group() throws IOException {
    kernel = new FakeKernel(root);
    kernel.v2("pod", "1073741824", "max", 0);
    level = MemoryLevel.v2(calls, root.resolve("sys/fs/cgroup/pod"));
    peers = new Peers(calls, root);
    Assumptions.assumeTrue(
        calls.write(-1, calls.allocate(1, 1), 0, 1) != -Errno.ENOSYS, "without write(2)");
    kernel.write("proc/thread-self/stat", "9 (java) S 1\n");
    kernel.write("proc/thread-self/comm", "");
    speak();
  }

  /** From now on it is time to search. */
  private void speak() {
    now = System.nanoTime() + BETWEEN_SEARCHES;
    peers.speak();
    peers.tell(0, 0, false);
  }

  @AfterEach
  void nothingStaysOpen() throws IOException {
    peers.close();
    level.close();
    assertEquals(0, Fixtures.descriptorsIn(root));
  }

  private void threads(String numbers) throws IOException {
    kernel.write("sys/fs/cgroup/pod/cgroup.threads", numbers);
  }

  private void name(int thread, String name) throws IOException {
    kernel.write("proc/" + thread + "/comm", name + "\n");
  }

  /** Looks for new threads, too. */
  private void look() {
    now += 2 * BETWEEN_SEARCHES;
    peers.look(level, now);
  }

  private void assertNobody() {
    assertTrue(peers.isEmpty());
    assertEquals(0, peers.heapGrowth());
    assertEquals(0, peers.cacheBytes());
    assertEquals(0, peers.wanting());
    assertEquals(Long.MAX_VALUE, peers.least());
  }

  @Test
  void addsUpWhatTheOthersSay() throws IOException {
    threads("1\n70\n71\n72\n73\n");
    name(1, "java");
    name(70, "pread:0010=00sg");
    name(71, "pread:000a<0100");
    name(72, "pread:0000<000z");
    name(73, "pread:0001<0010");
    look();
    assertEquals((36 + 10 + 1) * MIB, peers.heapGrowth());
    assertEquals((28 * 36 + 16 + 1296 + 35 + 36) * MIB, peers.cacheBytes());
    assertEquals(3, peers.wanting());
    assertEquals(35 * MIB, peers.least());
    name(72, "pread:0000=000z");
    peers.look(level, now);
    assertEquals(2, peers.wanting());
    assertEquals(36 * MIB, peers.least());
  }

  /** Another copy of this library in the same process has the same heap. */
  @Test
  void theHeapOfThisProcessCountsOnce() throws IOException {
    threads("70\n");
    name(70, "pread:0010=0020");
    kernel.write("proc/self/task/70/comm", "pread:0010=0020\n");
    look();
    assertEquals(0, peers.heapGrowth());
    assertEquals(72 * MIB, peers.cacheBytes());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "java",
        "pread",
        "pread:0010=002",
        "pread:0010-0020",
        "pread:001?=0020",
        "pread2:010=0020",
        "\u00e4\u00ff"
      })
  void otherNamesSayNothing(String name) throws IOException {
    threads("70\nnonsense\n0\n");
    name(70, name);
    look();
    assertNobody();
  }

  @Test
  void oneThatEndsSaysNothingMore() throws IOException {
    threads("70\n");
    name(70, "pread:0010<0020");
    look();
    assertEquals(1, peers.wanting());
    long open = Fixtures.descriptorsIn(root.resolve("proc"));
    name(70, "");
    peers.look(level, now);
    assertNobody();
    assertEquals(open - 1, Fixtures.descriptorsIn(root.resolve("proc")));
  }

  /** Another limit may have become the tightest, which is others'. */
  @Test
  void oneThatLeavesTheGroupDoesNotCount() throws IOException {
    threads("70\n71\n");
    name(70, "pread:0010<0020");
    name(71, "pread:0010=0020");
    look();
    assertFalse(peers.isEmpty());
    threads("71\n");
    look();
    assertEquals(0, peers.wanting());
    assertEquals(72 * MIB, peers.cacheBytes());
    threads("9\n");
    look();
    assertNobody();
  }

  /** The kernel gives a new thread the name of the one that has begun it. */
  @Test
  void oneThatBeginsIsLookedAtOnceMore() throws IOException {
    threads("70\n");
    name(70, "java");
    look();
    name(70, "pread:0010<0020");
    look();
    assertEquals(1, peers.wanting());
  }

  /** There may be hundreds of threads, and hardly any speaks. */
  @Test
  void oneThatSaysNothingIsLeftAloneUntilItsNumberIsAnothers() throws IOException {
    threads("70\n");
    name(70, "java");
    look();
    look();
    name(70, "pread:0010<0020");
    look();
    assertNobody();
    threads("9\n");
    look();
    threads("70\n");
    look();
    assertEquals(1, peers.wanting());
  }

  @Test
  void oneThatSpeaksLateIsHeardInTheEnd() throws IOException {
    threads("70\n");
    name(70, "java");
    look();
    look();
    name(70, "pread:0010<0020");
    for (int i = 0; i < 32; i++) {
      look();
    }
    assertEquals(1, peers.wanting());
  }

  @Test
  void searchesForNewOnesNowAndThen() throws IOException {
    look();
    threads("70\n");
    name(70, "pread:0010<0020");
    peers.look(level, now + BETWEEN_SEARCHES / 2);
    assertNobody();
    peers.look(level, now + BETWEEN_SEARCHES);
    assertEquals(1, peers.wanting());
  }

  /** It would make room for the others, and they not for it. */
  @Test
  void whoCannotSpeakDoesNotListen() throws IOException {
    threads("70\n");
    name(70, "pread:0010<0020");
    peers.close();
    peers = new Peers(calls, root);
    look();
    assertNobody();
    Files.delete(root.resolve("proc/thread-self/comm"));
    speak();
    look();
    assertNobody();
    kernel.write("proc/thread-self/comm", "");
    speak();
    look();
    assertEquals(1, peers.wanting());
  }

  /** It sees no threads of the namespaces around its own. */
  @Test
  void oneInsideAnotherPidNamespaceDoesNotHear() throws IOException {
    threads("70\n71\n");
    kernel.write("proc/self/status", "Name:\tjava\nNSpid:\t9\n");
    name(70, "pread:0010<0020");
    kernel.write("proc/70/status", "Name:\tpread\nNSpid:\t70\t7\n");
    name(71, "pread:0010=0020");
    kernel.write("proc/71/status", "Name:\tpread\nNSpid:\t71\n");
    look();
    assertEquals(36 * MIB, peers.heapGrowth());
    assertEquals(0, peers.wanting());
  }

  @Test
  void saysWhetherTheyAreOthers() throws IOException {
    threads("70\n");
    name(70, "pread:0010<0020");
    assertTrue(peers.look(level, now));
    name(70, "pread:0010<0021");
    assertFalse(peers.look(level, now));
    name(70, "");
    assertTrue(peers.look(level, now));
  }

  /** Without the list nobody has left. */
  @Test
  void aListThatCannotBeReadChangesNothing() throws IOException {
    threads("70\n");
    name(70, "pread:0010<0020");
    look();
    threads("");
    look();
    assertEquals(1, peers.wanting());
  }

  @Test
  void ofThousandsAFewAreLookedAtAtATime() throws IOException {
    StringBuilder numbers = new StringBuilder();
    for (int thread = 1000; thread < 1300; thread++) {
      numbers.append(thread).append('\n');
      name(thread, "pread:0000<0001");
    }
    threads(numbers.toString());
    peers.look(level, now);
    assertTrue(peers.wanting() > 0 && peers.wanting() < 300, peers.wanting() + " of 300");
    peers.look(level, now);
    peers.look(level, now);
    assertEquals(300, peers.wanting());
  }

  /** Otherwise a search would begin anew before it has come to its end, and go on for ever. */
  @Test
  void ofManyThousandsAllAreLookedAtInTheEnd() throws IOException {
    AtomicInteger opened = new AtomicInteger();
    SystemCalls counted =
        ScriptedCalls.of(
            calls,
            (name, arguments) -> {
              if (name.equals("open") && arguments[0].toString().endsWith("comm")) {
                opened.incrementAndGet();
              }
              return null;
            });
    peers.close();
    peers = new Peers(counted, root);
    speak();
    int count = 3000;
    StringBuilder numbers = new StringBuilder();
    for (int thread = 1000; thread < 1000 + count; thread++) {
      numbers.append(thread).append('\n');
    }
    threads(numbers.toString());
    for (int i = 0; i < 100; i++) {
      peers.look(level, now);
    }
    int all = opened.get();
    assertTrue(all >= count, all + " of " + count);
    peers.look(level, now);
    assertEquals(all, opened.get());
  }

  /** One that can't be met for want of memory is met later, and its file does not stay open. */
  @Test
  void withoutMemoryNobodyIsMet() throws IOException {
    AtomicInteger readsLeft = new AtomicInteger();
    SystemCalls few =
        ScriptedCalls.of(
            calls,
            (name, arguments) -> {
              if (name.equals("pread") && readsLeft.getAndDecrement() == 0) {
                throw new OutOfMemoryError("by script");
              }
              return null;
            });
    threads("70\n");
    name(70, "pread:0010<0020");
    kernel.write("proc/70/status", "NSpid:\t70\n");
    kernel.write("proc/self/status", "NSpid:\t1\n");
    // Its name, its namespaces and those of this process are read.
    for (int reads = 0; reads < 3; reads++) {
      peers.close();
      readsLeft.set(-1);
      peers = new Peers(few, root);
      speak();
      readsLeft.set(reads);
      assertThrows(OutOfMemoryError.class, this::look, "after " + reads + " reads");
      // Its own name is all that is open.
      assertEquals(1 + 4, Fixtures.descriptorsIn(root), "after " + reads + " reads");
    }
    readsLeft.set(-1);
    look();
    assertEquals(1, peers.wanting());
  }

  /** There may be hundreds of threads, and only a collection would free it. */
  @Test
  void noNativeMemoryIsTakenForThoseWhoAreMet() throws IOException {
    AtomicInteger left = new AtomicInteger(-1);
    threads("70\n");
    name(70, "pread:0010<0020");
    peers.close();
    peers = new Peers(ScriptedCalls.withMemoryFor(left, calls), root);
    speak();
    left.set(0);
    look();
    assertEquals(1, peers.wanting());
  }

  /** A file has positions to write at, and each name is behind the one before. */
  @Test
  void saysWhatItIsToldAndDoesNotListenToItself() throws IOException {
    Path comm = root.resolve("proc/thread-self/comm");
    Files.delete(comm);
    Files.createFile(comm);
    kernel.write("proc/9/comm", "pread:0010<0020\n");
    threads("9\n");
    peers.close();
    peers.speak();
    peers.tell(12 * MIB - 1, 40 * MIB, true);
    peers.tell(12 * MIB - 1, 40 * MIB, true);
    assertEquals("pread:000b<0014", Files.readString(comm));
    peers.tell(1L << 50, 1L << 60, false);
    assertEquals("pread:000b<0014pread:zzzz=zzzz", Files.readString(comm));
    look();
    assertNobody();
    assertTrue(Fixtures.descriptorsIn(root.resolve("proc")) > 0);
  }
}
