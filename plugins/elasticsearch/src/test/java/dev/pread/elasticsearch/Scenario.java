/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.elasticsearch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * The life of three indexes with the same documents, one of a type of the server's own. Whatever
 * happens, all of them answer alike.
 */
final class Scenario {

  /** The one whose answers are right. */
  static final String REFERENCE = "hybridfs";

  static final List<String> TYPES = List.of(REFERENCE, "pread", "pread_direct");

  private final Http http;
  private final int documents;

  Scenario(Http http, int documents) {
    this.http = http;
    this.documents = documents;
  }

  /** Returns the same scenario, by another node, or by the same one after a restart. */
  Scenario on(Http other) {
    return new Scenario(other, documents);
  }

  /**
   * All that an index goes through while a node runs, with the answers compared after each step.
   *
   * @param repository where the snapshot goes
   */
  void live(Path repository) throws IOException {
    create(0);
    check();
    change();
    check();
    snapshotAndRestore(repository.toString());
    check();
    closeAndOpen();
    check();
  }

  /** Makes the indexes, and fills them. */
  void create(int replicas) throws IOException {
    for (String type : TYPES) {
      http.put(
          "/" + type,
          String.format(
              Locale.ROOT,
              """
              {"settings": {"index.store.type": "%s", "number_of_shards": 2, "refresh_interval": -1,
                            "number_of_replicas": %d},
               "mappings": %s}
              """,
              type,
              replicas,
              Corpus.MAPPINGS));
      Corpus.index(http, type, documents);
      http.post("/" + type + "/_refresh", null);
      assertEquals(documents, http.get("/" + type + "/_count").at("/count").asInt());
    }
  }

  /** Makes the indexes so that the next start finds the very files that have been searched. */
  void createAndFlush() throws IOException {
    create(0);
    http.post("/_flush", null);
    check();
  }

  /** Waits until blocks have been read that the cache had before a restart. */
  void awaitRestored(String node) throws IOException, InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(90);
    while (stats(node).at("/cache/blocks_restored").asLong() == 0) {
      assertTrue(System.nanoTime() - deadline < 0, "nothing is read");
      Thread.sleep(10);
    }
  }

  /** Updates, deletes, and merges what is left into one segment. */
  void change() throws IOException {
    for (String type : TYPES) {
      Corpus.change(http, type, documents);
      http.post("/" + type + "/_forcemerge?max_num_segments=1", null);
      http.post("/" + type + "/_refresh", null);
      assertEquals(
          documents - documents / 10, http.get("/" + type + "/_count").at("/count").asInt());
    }
  }

  /** Takes a snapshot, deletes the indexes, and restores them from it. */
  void snapshotAndRestore(String repository) throws IOException {
    http.put(
        "/_snapshot/backup",
        "{\"type\":\"fs\",\"settings\":{\"location\":\"" + repository + "\"}}");
    String body = "{\"indices\":\"" + String.join(",", TYPES) + "\"}";
    JsonNode taken = http.put("/_snapshot/backup/one?wait_for_completion=true", body);
    assertEquals("SUCCESS", taken.at("/snapshot/state").asText(), taken::toString);
    http.delete("/" + String.join(",", TYPES));
    JsonNode restored = http.post("/_snapshot/backup/one/_restore?wait_for_completion=true", body);
    assertEquals(0, restored.at("/snapshot/shards/failed").asInt(-1), restored::toString);
    awaitHealth("yellow");
  }

  void closeAndOpen() throws IOException {
    for (String type : TYPES) {
      http.post("/" + type + "/_close", null);
      http.post("/" + type + "/_open", null);
    }
    awaitHealth("yellow");
  }

  void awaitHealth(String status) throws IOException {
    JsonNode health = http.get("/_cluster/health?timeout=90s&wait_for_status=" + status);
    assertTrue(!health.at("/timed_out").asBoolean(true), health::toString);
  }

  /** Has all of them asked all questions. */
  void check() throws IOException {
    check("");
  }

  /**
   * Compares the answers of certain shards.
   *
   * @param parameters of the request, such as {@code &preference=}
   * @return what the reference answers
   */
  List<JsonNode> check(String parameters) throws IOException {
    List<JsonNode> expected = answers(REFERENCE, parameters);
    for (String type : TYPES) {
      List<JsonNode> answers = answers(type, parameters);
      for (int i = 0; i < expected.size(); i++) {
        assertEquals(
            expected.get(i).toPrettyString(),
            answers.get(i).toPrettyString(),
            type + ": " + queries().get(i));
      }
    }
    return expected;
  }

  private List<JsonNode> answers(String index, String parameters) throws IOException {
    List<JsonNode> answers = new ArrayList<>();
    for (String query : queries()) {
      JsonNode answer = http.post("/" + index + "/_search?request_cache=false" + parameters, query);
      assertEquals(0, answer.at("/_shards/failed").asInt(-1), answer::toString);
      boolean found = answer.at("/hits/total/value").asInt() > 0;
      assertTrue(found, () -> query + ": " + answer);
      for (JsonNode hit : answer.at("/hits/hits")) {
        ((ObjectNode) hit).remove("_index");
      }
      ((ObjectNode) answer).remove(List.of("took", "_shards"));
      answers.add(answer);
    }
    return answers;
  }

  private static List<String> queries() {
    String all = "\"track_total_hits\":true,\"size\":50,\"query\":";
    // Documents of equal scores come in the order of their numbers in the index, which may differ.
    String best = "\"sort\":[\"_score\",\"number\"],\"track_scores\":true," + all;
    return List.of(
        "{" + best + "{\"match\":{\"text\":\"" + Corpus.word(0) + " " + Corpus.word(1000) + "\"}}}",
        "{" + best + "{\"match_phrase\":{\"text\":\"" + Corpus.word(0) + " w1\"}}}",
        "{"
            + best
            + "{\"bool\":{\"must\":{\"match\":{\"text\":\"w1\"}},\"filter\":{\"range\":"
            + "{\"number\":{\"gte\":100}}}}}}",
        "{" + all + "{\"prefix\":{\"text\":\"w1\"}},\"sort\":[{\"price\":\"desc\"},\"number\"]}",
        // Nothing here has last digits that depend on the order of the documents.
        "{"
            + all
            + "{\"match_all\":{}},\"sort\":[{\"time\":\"desc\"}],\"aggs\":{"
            + "\"tags\":{\"terms\":{\"field\":\"tag\",\"size\":50},"
            + "\"aggs\":{\"price\":{\"max\":{\"field\":\"price\"}}}},"
            + "\"hours\":{\"date_histogram\":{\"field\":\"time\",\"fixed_interval\":\"12h\"}},"
            + "\"numbers\":{\"stats\":{\"field\":\"number\"}}}}",
        // There are as many candidates as there can be, so that all graphs find the same.
        "{\"size\":20,\"knn\":{\"field\":\"vector\",\"k\":20,\"num_candidates\":5000,"
            + "\"query_vector\":"
            + Corpus.vector(-1)
            + "}}");
  }

  /** Returns the figures of the node of this name. */
  JsonNode stats(String node) throws IOException {
    for (JsonNode one : http.get("/_pread/stats").at("/nodes")) {
      if (one.at("/name").asText().equals(node)) {
        return one;
      }
    }
    throw new AssertionError("no node " + node);
  }
}
