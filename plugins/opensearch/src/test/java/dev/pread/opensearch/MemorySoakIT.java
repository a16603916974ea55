/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.opensearch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;

import dev.pread.harness.MemoryCgroup;
import dev.pread.harness.ProcessFigures;
import dev.pread.harness.ServerProcess;
import dev.pread.opensearch.server.ServerLauncher;
import dev.pread.plugin.CacheSize;
import dev.pread.plugin.Messages;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.opensearch.core.common.unit.ByteSizeValue;

/**
 * A server lives in a container that leaves it what docs/tuning.md advises, and no more, beside a
 * full heap and a full cache, while it indexes, merges and searches; and in the same container with
 * a cache that sizes itself.
 *
 * <p>{@code -Dtest.soak.minutes=30} makes it as long as the page says, with a cache of 512 MiB;
 * without, it shows for a minute that it works, with one of 4 MiB. What the server took is written
 * to {@code target/memory-soak.txt} and {@code target/memory-soak-auto.txt}.
 */
@Tag("nightly")
class MemorySoakIT {

  private static final long MINUTES = Long.getLong("test.soak.minutes", 1);

  /** The length from which on a run is about the figure, and not about this test. */
  private static final long FULL_RUN_MINUTES = 30;

  private static final int MEBI_BITS = 20;
  private static final long HEAP = 512L << MEBI_BITS;
  private static final long CACHE = (MINUTES >= FULL_RUN_MINUTES ? 512L : 4L) << MEBI_BITS;
  private static final long LIMIT = HEAP + CACHE + CacheSize.ADVISED_BYTES;
  private static final int FIRST_BOOKS = 20_000;
  private static final int BULK_BOOKS = 2_000;
  private static final long TIMEOUT_NANOS = TimeUnit.MINUTES.toNanos(5);
  private static final int MERGES = 6;
  private static final int SEARCHERS = 2;
  private static final String INDEX = "books";

  /** Set when the server is up. */
  private volatile long end;

  private volatile boolean full;
  private final AtomicInteger added = new AtomicInteger();

  @Test
  void theAdvisedRestIsEnough() throws Exception {
    live(CACHE + "b", "target/memory-soak.txt");
  }

  @Test
  void aCacheThatSizesItselfLeavesEnough() throws Exception {
    live("auto", "target/memory-soak-auto.txt");
  }

  private void live(String size, String report) throws Exception {
    // The heap is committed from the start, as one in use for long is.
    List<String> heap =
        List.of("-Xms" + HEAP, "-Xmx" + HEAP, "-XX:+AlwaysPreTouch", "-XX:+UseG1GC");
    Map<String, String> settings =
        Map.of("pread.cache.size", size, "node.processors", "2", "node.name", "soak");
    try (MemoryCgroup group = group();
        Servers servers = new Servers();
        ServerProcess server =
            ServerLauncher.startIn(
                group, servers.home(ServerVersion.NEWEST, "home"), heap, settings);
        Rest rest = new Rest(server.awaitPort())) {
      Messages.assertNames(Messages.cacheLine(server.said()), new ByteSizeValue(LIMIT).toString());
      Books books = new Books(rest, false);
      books.create(INDEX, "pread_direct", 0);
      add(books, FIRST_BOOKS);
      try {
        work(rest, books);
      } finally {
        // This is the cause of all that fails, if it is one.
        assertEquals(0, group.oomKills(), "processes that the kernel killed: " + server.said());
      }
      // Otherwise there was more memory than advised.
      Map<String, Object> figures = new StatsCheck(rest).figures();
      String took = report(server, Rest.number(figures, "cache", "memory_in_bytes"));
      assertTrue(isFull(rest), "the cache is not full: " + took);
      books.answers(INDEX);
      Files.writeString(Path.of(report), took + figures + "\n");
    }
  }

  private static MemoryCgroup group() {
    try {
      return MemoryCgroup.create(LIMIT);
    } catch (IOException e) {
      return abort(e.getMessage());
    }
  }

  private void work(Rest rest, Books books) throws Exception {
    end = System.nanoTime() + TimeUnit.MINUTES.toNanos(MINUTES);
    List<Callable<Void>> tasks = new ArrayList<>();
    tasks.add(() -> index(books));
    tasks.add(() -> merge(rest));
    for (int i = 0; i < SEARCHERS; i++) {
      Random random = new Random(i);
      tasks.add(() -> search(rest, books, random));
    }
    ExecutorService threads = Executors.newFixedThreadPool(tasks.size());
    try {
      for (Future<Void> task : threads.invokeAll(tasks)) {
        task.get();
      }
    } finally {
      threads.shutdownNow();
    }
  }

  /**
   * Returns false once the time is over and the cache is full: on a busy machine that may take
   * longer.
   */
  private boolean goesOn() {
    long over = System.nanoTime() - end;
    return over < 0 || (!full && over < TIMEOUT_NANOS);
  }

  private static boolean isFull(Rest rest) throws IOException {
    Map<String, Object> figures = new StatsCheck(rest).figures();
    return Rest.number(figures, "cache", "used_in_bytes") >= CACHE / 10 * 9;
  }

  private void add(Books books, int count) throws IOException {
    int from = added.get();
    books.add(INDEX, from, from + count);
    added.set(from + count);
  }

  private Void index(Books books) throws IOException {
    while (goesOn()) {
      int from = added.get();
      add(books, BULK_BOOKS);
      books.update(INDEX, from / 2, from / 2 + BULK_BOOKS);
    }
    return null;
  }

  private Void merge(Rest rest) throws Exception {
    long pause = TimeUnit.MINUTES.toMillis(MINUTES) / MERGES;
    while (goesOn()) {
      Thread.sleep(pause);
      // A whole index takes longer than a request may.
      String merge = "/_forcemerge?max_num_segments=1&wait_for_completion=false";
      rest.json("POST", "/" + INDEX + merge, null);
    }
    return null;
  }

  private Void search(Rest rest, Books books, Random random) throws IOException {
    while (goesOn()) {
      books.answers(INDEX);
      // The keys are from all over the index, so that the cache fills.
      for (int i = 0; i < BULK_BOOKS / 100; i++) {
        String keys =
            random
                .ints(100, 0, added.get())
                .mapToObj(key -> "\"" + key + "\"")
                .collect(Collectors.joining(","));
        rest.json(
            "POST",
            "/" + INDEX + "/_search",
            "{\"size\": 100, \"query\": {\"terms\": {\"_id\": [" + keys + "]}}}");
      }
      full = isFull(rest);
    }
    return null;
  }

  /** Returns what it took at most, and what of that neither the heap nor the cache is. */
  private String report(ServerProcess server, long cache) {
    Path status = Path.of("/proc/" + server.pid() + "/status");
    long peak = ProcessFigures.number(status, "VmHWM") << 10;
    return String.format(
        Locale.ROOT,
        "%d min, limit %d MiB, heap %d MiB, cache %d MiB, %d books; resident at most %d MiB, of"
            + " which beside heap and cache %d MiB%n",
        MINUTES,
        LIMIT >> MEBI_BITS,
        HEAP >> MEBI_BITS,
        cache >> MEBI_BITS,
        added.get(),
        peak >> MEBI_BITS,
        (peak - HEAP - cache) >> MEBI_BITS);
  }
}
