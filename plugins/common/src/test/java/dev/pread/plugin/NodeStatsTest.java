/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.plugin;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pread.CacheStats;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NodeStatsTest {

  private static final NodeStats STATS =
      new NodeStats(
          "ffm",
          true,
          4 << 10,
          CacheStats.of(
              Map.ofEntries(
                  Map.entry("hits", 3L),
                  Map.entry("misses", 1L),
                  Map.entry("blocks", 2L),
                  Map.entry("blocks_restored", 5L),
                  Map.entry("prefetch_queues", 4L),
                  Map.entry("prefetches_issued", 9L),
                  Map.entry("evictions", 6L),
                  Map.entry("waits", 7L),
                  Map.entry("bypasses", 8L),
                  Map.entry("bytes_read", 1L << 18),
                  Map.entry("size_bytes", 1L << 20),
                  Map.entry("memory_bytes", 1L << 16),
                  Map.entry("given_back_bytes", 1L << 14),
                  Map.entry("memory_limit_bytes", 1L << 30))),
          new NodeStats.Open(/* buffered= */ 2, /* direct= */ 0, /* usesPageCache= */ 0));

  @ParameterizedTest
  @CsvSource({"0, 0, none", "2, 0, yes", "2, 1, partly", "2, 2, no"})
  void saysWhetherDirectIoIsInUse(int direct, int usesPageCache, String said) {
    assertEquals(said, new NodeStats.Open(1, direct, usesPageCache).directIo());
  }

  @Test
  void tellsEachFigureOnceAndEndsWhatItStarts() throws IOException {
    List<String> names = new ArrayList<>();
    Deque<String> groups = new ArrayDeque<>();
    STATS.accept(
        new NodeStats.Visitor() {
          @Override
          public void start(String name) {
            groups.push(name);
          }

          @Override
          public void end() {
            groups.pop();
          }

          @Override
          public void field(String name, Object value) {
            names.add(groups + name + "=" + value);
          }

          @Override
          public void bytes(String name, long value) {
            names.add(groups + name + "=" + value);
          }
        });
    assertEquals(0, groups.size());
    assertEquals(names.size(), new HashSet<>(names).size(), names::toString);
    assertEquals("[]backend=ffm", names.get(0));
    Set<String> some =
        Set.of(
            "[cache]elastic=true",
            "[cache]size=1048576",
            "[cache]memory=65536",
            "[cache]used=8192",
            "[cache]hit_ratio=0.75",
            "[cache]given_back=16384",
            "[cache]blocks_restored=5",
            "[cache]prefetch_engine=aio",
            "[cache]prefetches_issued=9",
            "[cache]memory_limit=1073741824",
            "[directories]pread=2");
    assertEquals(some.size(), names.stream().filter(some::contains).count(), names::toString);
  }

  /** Users choose columns by name or alias. */
  @Test
  void columnsHaveNamesOfTheirOwn() {
    List<String> names =
        CatColumn.ALL.stream()
            .flatMap(
                column ->
                    Stream.of(
                        column.name(),
                        column.attributes().replaceAll("(?:.*;)?alias:(\\w+);.*", "$1")))
            .toList();
    assertEquals(names.size(), new HashSet<>(names).size(), names::toString);
  }

  @Test
  void columnsShowBytesAsTheServerDoes() {
    Map<String, String> row = new HashMap<>();
    for (CatColumn column : CatColumn.ALL) {
      row.put(column.name(), String.valueOf(column.value(STATS, bytes -> bytes + "b")));
    }
    Map<String, String> expected =
        Map.ofEntries(
            Map.entry("backend", "ffm"),
            Map.entry("elastic", "true"),
            Map.entry("size", "1048576b"),
            Map.entry("memory", "65536b"),
            Map.entry("used", "8192b"),
            Map.entry("block_size", "4096b"),
            Map.entry("hits", "3"),
            Map.entry("misses", "1"),
            Map.entry("hit_ratio", "0.750"),
            Map.entry("evictions", "6"),
            Map.entry("given_back", "16384b"),
            Map.entry("memory_limit", "1073741824b"),
            Map.entry("read", "262144b"),
            Map.entry("restored", "5"),
            Map.entry("waits", "7"),
            Map.entry("bypasses", "8"),
            Map.entry("pread", "2"),
            Map.entry("pread_direct", "0"),
            Map.entry("direct_io", "-"),
            Map.entry("uses_page_cache", "0"));
    assertEquals(expected, row);
  }
}
