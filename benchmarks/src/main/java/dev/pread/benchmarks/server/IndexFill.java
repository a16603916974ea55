/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.server;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pread.benchmarks.index.TextFeed;
import dev.pread.benchmarks.machine.Load;
import dev.pread.benchmarks.suite.Session;
import java.io.IOException;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;

/** Fills the index that is searched, over HTTP as a user would. It is for one thread. */
record IndexFill(OpenSearchNode server, TextFeed feed, Session session) {
  static final String INDEX = "text";
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int CLIENTS = 2;
  private static final int BULK_CHARS = 4 << 20;
  private static final long POLL_NANOS = 500_000_000;
  private static final int QUIET_POLLS = 3;

  /** Words as long as this are mostly names in one file. */
  private static final Pattern LONG_WORD = Pattern.compile("\\b[A-Za-z]\\w{11,}\\b");

  /**
   * Settings with which the store's statistics are as things are now, not as they were ten seconds
   * ago.
   */
  private static final String SETTINGS =
      """
      {"settings": {"index.number_of_shards": 1, "index.number_of_replicas": 0,
        "index.refresh_interval": "-1", "index.translog.durability": "async",
        "index.store.stats_refresh_interval": "0s"},
       "mappings": {"dynamic": "strict", "properties": {
        "file": {"type": "keyword"}, "folder": {"type": "keyword"}, "line": {"type": "integer"},
        "length": {"type": "integer"}, "body": {"type": "text"}}}}
      """;

  /**
   * Fills the index until it has a size on the disk.
   *
   * @param bytes nearly; more if the corpus needs more
   * @return its documents
   */
  long fill(long bytes) throws IOException {
    server.call("PUT", "/" + INDEX, SETTINGS);
    session.progress().start("indexing over HTTP");
    // What the first copy tells is a guess: merges and further words change it.
    do {
      send();
    } while (feed.extend(bytes, stats("store", "store").path("size_in_bytes").asLong()));
    return feed.taken();
  }

  /** Sends what the feed has, from a few connections. */
  private void send() throws IOException {
    Load.run(
        CLIENTS,
        times -> {
          for (String bulk = bulk(); !bulk.isEmpty(); bulk = bulk()) {
            JsonNode answer = server.call("POST", "/" + INDEX + "/_bulk", bulk);
            if (answer.path("errors").asBoolean(true)) {
              throw new IOException("documents were refused: " + answer.findValue("error"));
            }
            session.progress().update(feed.share(), "");
          }
        });
    settle();
    long count = server.get("/" + INDEX + "/_count").path("count").asLong();
    if (count != feed.taken()) {
      throw new IOException(
          "the server counts " + count + " documents, and was sent " + feed.taken());
    }
  }

  private String bulk() throws IOException {
    StringBuilder bulk = new StringBuilder();
    TextFeed.Chunk chunk;
    while (bulk.length() < BULK_CHARS && (chunk = feed.next()) != null) {
      String file = chunk.file();
      ObjectNode source =
          JSON.createObjectNode()
              .put("file", file)
              .put("folder", file.substring(0, Math.max(0, file.lastIndexOf('/'))))
              .put("line", chunk.line())
              .put("length", chunk.text().length())
              .put("body", otherWords(chunk));
      bulk.append("{\"index\":{\"_id\":\"").append(chunk.number()).append("\"}}\n");
      bulk.append(source).append('\n');
    }
    return bulk.toString();
  }

  /** Each copy has other rare words: repeated as it is, it has the vocabulary of a small index. */
  static String otherWords(TextFeed.Chunk chunk) {
    return chunk.copy() == 0
        ? chunk.text()
        : LONG_WORD.matcher(chunk.text()).replaceAll("$0x" + chunk.copy());
  }

  /** Writes all to the disk and waits for merges, so that every store reads the same files. */
  private void settle() throws IOException {
    int quiet = 0;
    while (quiet < QUIET_POLLS) {
      session.stop().check();
      // Whoever searches has the segments still that were merged.
      server.call("POST", "/" + INDEX + "/_refresh", "");
      server.call("POST", "/" + INDEX + "/_flush?force=true&wait_if_ongoing=true", "");
      quiet = stats("merge", "merges").path("current").asInt() > 0 ? 0 : quiet + 1;
      LockSupport.parkNanos(POLL_NANOS);
    }
  }

  private JsonNode stats(String path, String name) throws IOException {
    return server.get("/" + INDEX + "/_stats/" + path).path("_all").path("primaries").path(name);
  }
}
