/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.elasticsearch;

import static org.junit.jupiter.api.Assertions.assertEquals;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
class RealServerTest {

  /** What the build made; the tests of this class run after that. */
  private static Path zip() {
    String made = System.getProperty("plugin.zip");
    assumeTrue(made != null, "the zip is made later in the build");
    return Path.of(made);
  }

  @Test
  void searches(@TempDir(cleanup = CleanupMode.NEVER) Path home) throws Exception {
    ServerHome server = new ServerHome(home, zip());
    try (RealServer running = new RealServer(server, Map.of())) {
      Http http = running.http();
      http.put("/a", "{\"settings\":{\"index.store.type\":\"pread\",\"number_of_replicas\":0}}");
      http.put("/a/_doc/1?refresh=true", "{\"text\":\"hello\"}");
      assertEquals(1, http.get("/a/_search?q=text:hello").at("/hits/total/value").asInt());
      System.out.println(http.text("GET", "/_cat/pread?v", null));
      System.out.println(running.printed());
    }
  }
}
