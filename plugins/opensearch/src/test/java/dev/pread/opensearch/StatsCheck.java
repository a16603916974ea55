/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.opensearch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import java.util.Map;

/** What a node that is alone says of itself, by both endpoints. */
final class StatsCheck {

  private final Rest rest;

  StatsCheck(Rest rest) {
    this.rest = rest;
  }

  /** Returns the figures of the one node. */
  @SuppressWarnings("unchecked")
  Map<String, Object> figures() throws IOException {
    Map<String, Object> answer = rest.json("GET", "/_pread/stats", null);
    assertEquals(1, Rest.number(answer, "_nodes", "successful"));
    Map<String, Object> nodes = (Map<String, Object>) Rest.at(answer, "nodes");
    assertEquals(1, nodes.size(), nodes::toString);
    return (Map<String, Object>) nodes.values().iterator().next();
  }

  void countsOpenDirectories(int each) throws IOException {
    Map<String, Object> figures = figures();
    assertEquals(each, Rest.number(figures, "directories", "pread"), figures::toString);
    assertEquals(each, Rest.number(figures, "directories", "pread_direct"), figures::toString);
    long usesPageCache = Rest.number(figures, "direct_io", "uses_page_cache");
    assertTrue(usesPageCache <= each, figures::toString);
    String inUse = each == 0 ? "none" : usesPageCache == each ? "no" : "yes";
    assertEquals(inUse, Rest.at(figures, "direct_io", "in_use"), figures::toString);
    assertEquals(each == 0 ? "-" : inUse, rest.text("GET", "/_cat/pread?h=direct_io", null).trim());
  }

  /** Checks what is counted with a cache that is smaller than what has been read. */
  void countsReads() throws IOException {
    Map<String, Object> figures = figures();
    for (String name : List.of("hits", "misses", "evictions", "blocks_read", "read_in_bytes")) {
      assertTrue(Rest.number(figures, "cache", name) > 0, () -> name + " in " + figures);
    }
    for (String name : List.of("waits", "bypasses")) {
      assertTrue(Rest.number(figures, "cache", name) >= 0, () -> name + " in " + figures);
    }
    long used = Rest.number(figures, "cache", "used_in_bytes");
    long size = Rest.number(figures, "cache", "size_in_bytes");
    assertTrue(used > 0 && used <= size, figures::toString);
    assertEquals(false, Rest.at(figures, "cache", "elastic"), figures::toString);
    assertEquals(4096, Rest.number(figures, "cache", "block_size_in_bytes"));
    assertTrue(List.of("ffm", "jni", "channel").contains(Rest.at(figures, "backend")));
  }

  /** Checks what is told after reads of a cache that nobody has given a size. */
  void tellsOfAnElasticCache() throws IOException {
    Map<String, Object> figures = figures();
    assertEquals(true, Rest.at(figures, "cache", "elastic"), figures::toString);
    long used = Rest.number(figures, "cache", "used_in_bytes");
    long memory = Rest.number(figures, "cache", "memory_in_bytes");
    long limit = Rest.number(figures, "cache", "memory_limit_in_bytes");
    assertTrue(0 < used && used <= memory && memory < limit, figures::toString);
    assertTrue(Rest.number(figures, "cache", "size_in_bytes") > 0, figures::toString);
    assertTrue(Rest.number(figures, "cache", "given_back_in_bytes") >= 0, figures::toString);
    assertEquals(
        "true " + limit,
        rest.text("GET", "/_cat/pread?h=elastic,memory_limit&bytes=b", null)
            .trim()
            .replaceAll(" +", " "));
  }

  void hasATable() throws IOException {
    List<String> lines = rest.text("GET", "/_cat/pread?v", null).lines().toList();
    assertEquals(2, lines.size(), lines::toString);
    assertEquals(lines.get(0).split(" +").length, lines.get(1).split(" +").length);
    assertTrue(lines.get(0).startsWith("name "), lines::toString);
    Map<String, Object> figures = figures();
    String row = rest.text("GET", "/_cat/pread?h=b,size,bs,pread,pd,upc&bytes=b", null).trim();
    assertEquals(
        List.of(
            Rest.at(figures, "backend"),
            String.valueOf(Rest.number(figures, "cache", "size_in_bytes")),
            "4096",
            "1",
            "1",
            String.valueOf(Rest.number(figures, "direct_io", "uses_page_cache"))),
        List.of(row.split(" +")));
    assertTrue(rest.text("GET", "/_cat/pread?help", null).contains("evictions"));
    String json = rest.text("GET", "/_cat/pread/_local?format=json&h=hits", null);
    assertTrue(json.startsWith("[{\"hits\":\""), json);
  }
}
