/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.server;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pread.benchmarks.StopSignal;
import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.load.Workers;
import dev.pread.benchmarks.measure.HitMismatch;
import dev.pread.benchmarks.report.Progress;
import java.io.IOException;
import java.util.Map;

/** Fills the index that is searched, over HTTP as a user would. One thread. */
final class IndexFill {
  static final String INDEX = "text";
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int CLIENTS = 2;
  private static final int BULK_CHARS = 4 << 20;
  private static final long POLL_MILLIS = 500;
  private static final int QUIET_POLLS = 3;
  private static final double NEARLY = 0.95;

  private final RestClient rest;
  private final TextFeed feed;
  private final Progress progress;
  private final StopSignal stop;

  IndexFill(RestClient rest, TextFeed feed, Progress progress, StopSignal stop) {
    this.rest = rest;
    this.feed = feed;
    this.progress = progress;
    this.stop = stop;
  }

  /**
   * Checks that the server knows a store, before anything that takes long.
   *
   * @throws UserError if not
   */
  static void probe(RestClient rest, String store) throws IOException, UserError {
    String index = "/probe-" + store;
    ObjectNode settings = JSON.createObjectNode();
    settings
        .putObject("settings")
        .put("index.number_of_replicas", 0)
        .put("index.store.type", store);
    JsonNode made = rest.call("PUT", index + "?timeout=20s", settings.toString());
    rest.call("DELETE", index, null);
    if (!made.path("shards_acknowledged").asBoolean()) {
      throw new UserError(
          "the server knows no index.store.type "
              + store
              + ": install the plugin, or leave it out of --stores");
    }
  }

  /**
   * Fills it until it has a size on the disk.
   *
   * @param bytes nearly; more if the corpus needs more
   * @return its documents; 0 if stopped
   */
  long fill(long bytes) throws IOException, UserError, HitMismatch {
    create();
    progress.start("indexing over HTTP");
    bulks();
    long once = settle();
    if (stop.requested()) {
      return 0;
    }
    long documents = once;
    long count = once;
    // What the first copy tells is a guess: merges and further words change it.
    while (count == documents && size() < NEARLY * bytes && !stop.requested()) {
      double perDocument = (double) size() / documents;
      documents = Math.max(documents + 1, (long) Math.ceil(bytes / perDocument));
      feed.limit(documents);
      bulks();
      count = settle();
    }
    progress.wipe();
    if (stop.requested()) {
      return 0;
    }
    if (count != documents) {
      throw new IOException("the server counts " + count + " documents, and was sent " + documents);
    }
    return count;
  }

  private void create() throws IOException {
    ObjectNode index = JSON.createObjectNode();
    index
        .putObject("settings")
        .put("index.number_of_shards", 1)
        .put("index.number_of_replicas", 0)
        .put("index.refresh_interval", "-1")
        .put("index.translog.durability", "async")
        // Sizes as they are now, not as they were ten seconds ago.
        .put("index.store.stats_refresh_interval", "0s");
    ObjectNode fields =
        index.putObject("mappings").put("dynamic", "strict").putObject("properties");
    Map.of(
            "file", "keyword",
            "folder", "keyword",
            "line", "integer",
            "length", "integer",
            "body", "text")
        .forEach((name, type) -> fields.putObject(name).put("type", type));
    rest.call("PUT", "/" + INDEX, index.toString());
  }

  /** Sends what the feed has, from a few connections. */
  private void bulks() throws IOException, UserError, HitMismatch {
    Workers.run(
        CLIENTS,
        client ->
            () -> {
              for (String bulk = next(); bulk != null && !stop.requested(); bulk = next()) {
                JsonNode answer = rest.call("POST", "/" + INDEX + "/_bulk", bulk);
                if (answer.path("errors").asBoolean(true)) {
                  throw new IOException("documents were refused: " + firstError(answer));
                }
                progress.update(feed.share(), "");
              }
              return null;
            });
  }

  private static JsonNode firstError(JsonNode answer) {
    for (JsonNode item : answer.path("items")) {
      JsonNode error = item.path("index").path("error");
      if (!error.isMissingNode()) {
        return error;
      }
    }
    return answer;
  }

  private String next() throws IOException, UserError {
    StringBuilder bulk = new StringBuilder();
    while (bulk.length() < BULK_CHARS) {
      TextFeed.Doc doc = feed.next();
      if (doc == null) {
        break;
      }
      bulk.append("{\"index\":{\"_id\":\"").append(doc.key()).append("\"}}\n");
      ObjectNode source =
          JSON.createObjectNode()
              .put("file", doc.file())
              .put("folder", doc.folder())
              .put("line", doc.line())
              .put("length", doc.text().length())
              .put("body", doc.text());
      bulk.append(source).append('\n');
    }
    return bulk.isEmpty() ? null : bulk.toString();
  }

  /** Writes all to the disk and waits for merges, so that every store reads the same files. */
  private long settle() throws IOException {
    int quiet = 0;
    while (quiet < QUIET_POLLS && !stop.requested()) {
      // Whoever searches has the segments still that were merged.
      rest.call("POST", "/" + INDEX + "/_refresh", null);
      rest.call("POST", "/" + INDEX + "/_flush?force=true&wait_if_ongoing=true", null);
      quiet = stats("merges").path("current").asInt() > 0 ? 0 : quiet + 1;
      try {
        Thread.sleep(POLL_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("interrupted while segments are merged", e);
      }
    }
    return rest.get("/" + INDEX + "/_count").path("count").asLong();
  }

  private long size() throws IOException {
    return stats("store").path("size_in_bytes").asLong();
  }

  private JsonNode stats(String what) throws IOException {
    return rest.get("/" + INDEX + "/_stats/" + what.replace("merges", "merge"))
        .path("_all")
        .path("primaries")
        .path(what);
  }
}
