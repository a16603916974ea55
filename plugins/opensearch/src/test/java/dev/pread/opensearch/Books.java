/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.opensearch;

import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;

/** An index of made-up books: the same documents and the same questions for every store type. */
final class Books {

  private static final int WORDS = 2_000;
  private static final int BULK_BOOKS = 2_000;

  /** Whether servers know the field type of {@link KnnTestPlugin}. */
  private final boolean vectors;

  private final Rest rest;

  Books(Rest rest, boolean vectors) {
    this.rest = rest;
    this.vectors = vectors;
  }

  /**
   * Makes an index of one shard. A score tells which words were found and no more: those of BM25
   * count deleted documents too, which stay for as long as a replica might ask for them, and that
   * is a matter of time.
   */
  void create(String index, String storeType, int replicas) throws IOException {
    rest.json(
        "PUT",
        "/" + index,
        String.format(
            Locale.ROOT,
            """
        {"settings": {"number_of_shards": 1, "number_of_replicas": %d, "index.store.type": "%s",
          "index.unassigned.node_left.delayed_timeout": "0"},
         "mappings": {"properties": {
          "title": {"type": "text", "similarity": "boolean"}, "genre": {"type": "keyword"},
          "pages": {"type": "integer"}, "key": {"type": "integer"}%s}}}
        """,
            replicas,
            storeType,
            vectors ? VECTOR : ""));
  }

  private static final String VECTOR = ", \"vector\": {\"type\": \"test_vector\"}";

  /** Adds books, the same ones for the same numbers. */
  void add(String index, int from, int to) throws IOException {
    for (int start = from; start < to; start += BULK_BOOKS) {
      StringBuilder bulk = new StringBuilder();
      for (int key = start; key < Math.min(to, start + BULK_BOOKS); key++) {
        bulk.append("{\"index\": {\"_id\": \"").append(key).append("\"}}\n").append(book(key));
      }
      bulk(index, bulk);
    }
  }

  /** Changes a tenth of the books. */
  void update(String index, int from, int to) throws IOException {
    StringBuilder bulk = new StringBuilder();
    for (int key = from; key < to; key += 10) {
      bulk.append("{\"update\": {\"_id\": \"").append(key).append("\"}}\n");
      bulk.append("{\"doc\": {\"pages\": ").append(100_000 + key).append("}}\n");
    }
    bulk(index, bulk);
  }

  private void bulk(String index, StringBuilder bulk) throws IOException {
    Map<String, Object> answer = rest.json("POST", "/" + index + "/_bulk", bulk.toString());
    if (!Boolean.FALSE.equals(answer.get("errors"))) {
      throw new AssertionError("bulk: " + answer);
    }
  }

  private String book(int key) {
    Random random = new Random(key);
    StringBuilder title = new StringBuilder();
    for (int i = 0; i < 12; i++) {
      // There are frequent words and rare ones.
      double rank = WORDS * Math.pow(random.nextDouble(), 3);
      title.append("word").append((int) rank).append(' ');
    }
    String vector =
        vectors
            ? String.format(
                Locale.ROOT,
                ", \"vector\": [%f, %f, %f]",
                random.nextDouble(),
                random.nextDouble(),
                random.nextDouble())
            : "";
    return String.format(
        Locale.ROOT,
        "{\"title\": \"%s\", \"genre\": \"genre%d\", \"pages\": %d, \"key\": %d%s}%n",
        title,
        random.nextInt(20),
        random.nextInt(10_000),
        key,
        vector);
  }

  /**
   * Returns what an index answers: the hits of some queries, in order, and numbers of an
   * aggregation.
   */
  List<Object> answers(String index) throws IOException {
    return answers(index, "_local");
  }

  /**
   * Returns the same of one copy of its shard.
   *
   * @param preference which copy
   */
  List<Object> answers(String index, String preference) throws IOException {
    rest.json("POST", "/" + index + "/_refresh", null);
    String search = "/" + index + "/_search?preference=" + preference;
    return List.of(
        hits(search, "\"query\": {\"match\": {\"title\": \"word0 word17 word1500\"}}," + BY_SCORE),
        hits(search, "\"query\": {\"match_phrase\": {\"title\": \"word0 word1\"}}," + BY_SCORE),
        hits(search, "\"query\": {\"prefix\": {\"title\": \"word19\"}}," + BY_PAGES),
        hits(search, "\"query\": {\"range\": {\"pages\": {\"gte\": 9000}}}," + BY_PAGES),
        hits(
            search,
            vectors ? NEAREST_QUERY : "\"query\": {\"term\": {\"genre\": \"genre7\"}}," + BY_PAGES),
        Rest.at(rest.json("POST", search, "{\"size\": 0, " + GENRES + "}"), "aggregations"));
  }

  /** Returns the hits of a script that reads two fields of all books. */
  Object scored(String index) throws IOException {
    return hits(
        "/" + index + "/_search",
        "\"query\": {\"script_score\": {\"query\": {\"match_all\": {}}, \"script\": {\"source\":"
            + " \"doc['pages'].value % 1000 + doc['genre'].value.length()\"}}},"
            + BY_SCORE);
  }

  private static final String BY_SCORE = "\"sort\": [\"_score\", \"key\"]";
  private static final String BY_PAGES = "\"sort\": [{\"pages\": \"desc\"}, \"key\"]";
  private static final String NEAREST_QUERY =
      "\"query\": {\"test_knn\": {\"field\": \"vector\", \"vector\": [0.3, 0.6, 0.1], \"k\": 300}},"
          + BY_SCORE;
  private static final String GENRES =
      "\"aggs\": {\"genres\": {\"terms\": {\"field\": \"genre\", \"size\": 20},"
          + " \"aggs\": {\"pages\": {\"sum\": {\"field\": \"pages\"}}}}}";

  private Object hits(String search, String query) throws IOException {
    Map<String, Object> answer =
        rest.json("POST", search, "{\"size\": 25, \"track_total_hits\": true, " + query + "}");
    @SuppressWarnings("unchecked")
    List<Map<String, Object>> hits = (List<Map<String, Object>>) Rest.at(answer, "hits", "hits");
    if (hits.isEmpty()) {
      throw new AssertionError("no hits: " + query);
    }
    return List.of(
        Rest.number(answer, "hits", "total", "value"),
        hits.stream().map(hit -> List.of(hit.get("_id"), hit.get("sort"))).toList());
  }
}
