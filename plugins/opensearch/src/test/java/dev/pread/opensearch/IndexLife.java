/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.opensearch;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.util.List;

/**
 * An index of each store type, taken through what indexes go through; after each step all of them
 * have to answer as the one of {@code hybridfs} does.
 */
final class IndexLife {

  private static final String REFERENCE_INDEX = "hybridfs";
  private static final List<String> PREAD_INDEXES = List.of("pread", "pread_direct");
  private static final List<String> ALL = List.of(REFERENCE_INDEX, "pread", "pread_direct");

  private final Rest rest;
  private final Books books;
  private final boolean vectors;

  /** What it answered last. */
  private List<Object> answers;

  IndexLife(Rest rest, boolean vectors) {
    this.rest = rest;
    this.books = new Books(rest, vectors);
    this.vectors = vectors;
  }

  /** Returns this life, to go on with a node that has been started again. */
  IndexLife goOnWith(Rest restarted) throws IOException {
    IndexLife life = new IndexLife(restarted, vectors);
    life.answers = answers;
    for (String index : ALL) {
      life.awaitShards(index);
    }
    return life;
  }

  void create() throws IOException {
    for (String index : ALL) {
      books.create(index, index, 0);
    }
  }

  /** Adds books, and asks for them. */
  void fill(int count) throws IOException {
    for (String index : ALL) {
      books.add(index, 0, count);
    }
    compare();
  }

  /** Changes some and adds some, then merges everything. */
  void update(int count) throws IOException {
    for (String index : ALL) {
      books.update(index, 0, count);
      books.add(index, count, count + count / 10);
      rest.json("POST", "/" + index + "/_forcemerge?max_num_segments=1", null);
    }
    compare();
  }

  void snapshotAndRestore() throws IOException {
    rest.json(
        "PUT", "/_snapshot/backup", "{\"type\": \"fs\", \"settings\": {\"location\": \"backup\"}}");
    rest.json("PUT", "/_snapshot/backup/one?wait_for_completion=true", "{\"indices\": \"*\"}");
    for (String index : PREAD_INDEXES) {
      rest.json("DELETE", "/" + index, null);
    }
    rest.json(
        "POST",
        "/_snapshot/backup/one/_restore?wait_for_completion=true",
        "{\"indices\": \"pread,pread_direct\"}");
    checkAnswers();
  }

  void closeAndOpen() throws IOException {
    for (String index : ALL) {
      rest.json("POST", "/" + index + "/_close", null);
      rest.json("POST", "/" + index + "/_open", null);
      awaitShards(index);
    }
    checkAnswers();
  }

  /** Goes back to the store type of the server, as the documentation says. */
  void goBack() throws IOException {
    for (String index : PREAD_INDEXES) {
      rest.json("POST", "/" + index + "/_close", null);
      rest.json("PUT", "/" + index + "/_settings", "{\"index.store.type\": \"hybridfs\"}");
      rest.json("POST", "/" + index + "/_open", null);
      awaitShards(index);
    }
    checkAnswers();
  }

  private void awaitShards(String index) throws IOException {
    rest.json("GET", "/_cluster/health/" + index + "?wait_for_status=green&timeout=60s", null);
  }

  private void compare() throws IOException {
    answers = books.answers(REFERENCE_INDEX);
    for (String index : PREAD_INDEXES) {
      assertEquals(answers, books.answers(index), index);
    }
  }

  /** Checks whether all answer as they did before. */
  void checkAnswers() throws IOException {
    for (String index : ALL) {
      assertEquals(answers, books.answers(index), index);
    }
  }

  /** Checks whether a script reads the same from all of them. */
  void checkScripts() throws IOException {
    Object scored = books.scored(REFERENCE_INDEX);
    for (String index : PREAD_INDEXES) {
      assertEquals(scored, books.scored(index), index);
    }
  }
}
