/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.elasticsearch;

import java.io.IOException;
import java.util.Locale;
import java.util.SplittableRandom;

/** Documents by number, always the same, with a bit of everything an index can search. */
final class Corpus {

  /**
   * A score tells which words were found and no more: those of BM25 count deleted documents too,
   * which stay for as long as a replica might ask for them, and that is a matter of time.
   */
  static final String MAPPINGS =
      """
      {"properties": {
        "text": {"type": "text", "similarity": "boolean"},
        "tag": {"type": "keyword"},
        "number": {"type": "long"},
        "price": {"type": "double"},
        "time": {"type": "date"},
        "vector": {"type": "dense_vector", "dims": 16, "similarity": "l2_norm",
                   "index_options": {"type": "hnsw"}}}}
      """;

  private static final int VOCABULARY = 5000;
  private static final int BATCH = 1000;
  private static final long FIRST_TIME = 1_700_000_000_000L;

  private Corpus() {}

  /** Returns word number {@code i}, the frequent ones first. */
  static String word(int i) {
    return "w" + Integer.toString(i, Character.MAX_RADIX);
  }

  /**
   * Returns a vector of multiples of 2^-10 below 1, so that the distance of two of them is exact as
   * a float in whatever order it is added up. That order is not the same in interpreted and in
   * compiled code with the vector API, and scores would differ in the last bit from one request to
   * the next.
   */
  static String vector(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    StringBuilder json = new StringBuilder("[");
    for (int i = 0; i < 16; i++) {
      json.append(i == 0 ? "" : ",")
          .append(String.format(Locale.ROOT, "%.10f", random.nextInt(1024) / 1024.0));
    }
    return json.append(']').toString();
  }

  /**
   * @param round how often it has been updated
   */
  private static String document(int id, int round) {
    SplittableRandom random = new SplittableRandom(id * 31L + round);
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 30; i++) {
      double skewed = Math.pow(random.nextDouble(), 3);
      text.append(word((int) (skewed * VOCABULARY))).append(' ');
    }
    return String.format(
        Locale.ROOT,
        "{\"text\":\"%s\",\"tag\":\"t%d\",\"number\":%d,\"price\":%.2f,\"time\":%d,\"vector\":%s}",
        text,
        random.nextInt(50),
        id + round * 1_000_000L,
        random.nextDouble() * 100,
        FIRST_TIME + id * 60_000L,
        vector(id + round * 1_000_000L));
  }

  /** Indexes documents {@code 0} to {@code count}, one request after another. */
  static void index(Http http, String index, int count) throws IOException {
    StringBuilder bulk = new StringBuilder();
    for (int id = 0; id < count; id++) {
      bulk.append("{\"index\":{\"_id\":\"").append(id).append("\"}}\n");
      bulk.append(document(id, 0)).append('\n');
      if (id % BATCH == BATCH - 1 || id == count - 1) {
        send(http, index, bulk);
      }
    }
  }

  /** Updates every tenth of them, and deletes every tenth. */
  static void change(Http http, String index, int count) throws IOException {
    StringBuilder bulk = new StringBuilder();
    for (int id = 0; id + 5 < count; id += 10) {
      bulk.append("{\"update\":{\"_id\":\"").append(id).append("\"}}\n");
      bulk.append("{\"doc\":").append(document(id, 1)).append("}\n");
      bulk.append("{\"delete\":{\"_id\":\"").append(id + 5).append("\"}}\n");
      if (id % BATCH == 0) {
        send(http, index, bulk);
      }
    }
    if (!bulk.isEmpty()) {
      send(http, index, bulk);
    }
  }

  private static void send(Http http, String index, StringBuilder bulk) throws IOException {
    var answer = http.post("/" + index + "/_bulk", bulk.toString());
    if (answer.at("/errors").asBoolean(true)) {
      throw new IOException("bulk: " + answer);
    }
    bulk.setLength(0);
  }
}
