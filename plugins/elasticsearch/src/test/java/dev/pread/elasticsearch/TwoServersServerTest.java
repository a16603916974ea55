/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.elasticsearch;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pread.harness.ServerProcess;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two real servers with a copy of each shard, one of which is killed and comes back. */
@Tag("nightly")
class TwoServersServerTest {

  private static final int DOCUMENTS = 2000;

  @Test
  void recoversACopyFromTheOtherServer(@TempDir Path home) throws Exception {
    ServerHome first = new ServerHome(home.resolve("first"), ServerHome.zip());
    ServerHome second = new ServerHome(home.resolve("second"), ServerHome.zip());
    try (ServerProcess survivor =
        ServerLauncher.start(
            first,
            Map.of(
                "node.name", "survivor",
                "path.repo", home.resolve("repo").toString(),
                "discovery.seed_hosts", "",
                "cluster.initial_master_nodes", "survivor"))) {
      Map<String, String> settings = new HashMap<>();
      settings.put("node.name", "victim");
      settings.put("node.roles", "data");
      settings.put("path.repo", home.resolve("repo").toString());
      settings.put("discovery.seed_hosts", "127.0.0.1:" + survivor.awaitTransportPort());
      Scenario scenario = new Scenario(new Http(survivor.awaitPort()), DOCUMENTS);
      List<JsonNode> before;
      try (ServerProcess victim = ServerLauncher.start(second, settings)) {
        scenario.create(1);
        scenario.change();
        scenario.awaitHealth("green");
        before = scenario.check("&preference=_only_nodes:victim");
        assertEquals(2, scenario.stats("victim").at("/directories/pread").asInt());
        // This is not yet flushed by anyone: it has to come out of the logs, or from the other
        // copy. It has no text: what is deleted counts in scores until it is merged away, if it was
        // ever in a segment, and whether it was depends on which copy was the primary.
        for (String type : Scenario.TYPES) {
          new Http(survivor.awaitPort()).put("/" + type + "/_doc/late", "{\"number\":-7}");
        }
        victim.kill();
      }
      scenario.awaitHealth("yellow&wait_for_nodes=1");
      for (String type : Scenario.TYPES) {
        new Http(survivor.awaitPort()).delete("/" + type + "/_doc/late?refresh=true");
      }
      scenario.check();
      try (ServerProcess victim = ServerLauncher.start(second, settings)) {
        scenario.awaitHealth("green&wait_for_nodes=2");
        List<JsonNode> after =
            scenario.on(new Http(victim.awaitPort())).check("&preference=_only_nodes:victim");
        assertEquals(before.size(), after.size());
        assertEquals(2, scenario.stats("victim").at("/directories/pread_direct").asInt());
      }
    }
  }
}
