/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.elasticsearch;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedNodeTest {

  @Test
  void searches(@TempDir Path home) throws Exception {
    try (TestNode node = new TestNode(home, Map.of())) {
      Http http = node.http();
      http.put("/a", "{\"settings\":{\"index.store.type\":\"pread\",\"number_of_replicas\":0}}");
      http.put("/a/_doc/1?refresh=true", "{\"text\":\"hello\"}");
      assertEquals(1, http.get("/a/_search?q=text:hello").at("/hits/total/value").asInt());
    }
  }
}
