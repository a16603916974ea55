/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.elasticsearch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pread.harness.ServerProcess;
import dev.pread.plugin.Messages;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.elasticsearch.Build;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The plugin as users install it, in a server that enforces its entitlements. */
@Tag("slow")
class RealServerTest {

  private static final int DOCUMENTS = 2000;
  static final String ENTITLEMENT_DENIED = "NotEntitledException";

  /** A cache so small that all that is read comes and goes, and is prefetched. */
  static final Map<String, String> TINY_CACHE =
      Map.of("pread.cache.size", "256kb", "pread.block.size", "4kb");

  /** The server is killed in between, so that what has not been committed is there again too. */
  @Test
  @Tag("life")
  void answersAndRestarts(@TempDir Path home) throws Exception {
    ServerHome server = new ServerHome(home, ServerHome.zip());
    Map<String, String> settings = TINY_CACHE;
    Scenario scenario;
    try (ServerProcess running = ServerLauncher.start(server, settings)) {
      // An operator wants to know this before anything goes wrong.
      String cache = Messages.cacheLine(running.said());
      Messages.assertNames(cache, "[256kb]", "[4kb]", "[ffm]", "heap [512mb]");
      scenario = new Scenario(new Http(running.awaitPort()), DOCUMENTS);
      scenario.live(home.resolve("repo"));
      checkRunning(running, scenario);
      running.kill();
    }
    try (ServerProcess running = ServerLauncher.start(server, settings)) {
      scenario = scenario.on(new Http(running.awaitPort()));
      scenario.awaitHealth("green");
      scenario.check();
      checkRunning(running, scenario);
    }
  }

  private static void checkRunning(ServerProcess running, Scenario scenario) throws IOException {
    JsonNode stats = scenario.stats("real");
    assertEquals("ffm", stats.at("/backend").asText());
    assertEquals(2, stats.at("/directories/pread_direct").asInt());
    assertTrue(stats.at("/cache/evictions").asLong() > 0, stats::toString);
    assertFalse(running.said().contains(ENTITLEMENT_DENIED), running.said());
    assertEquals(
        "dev.pread.elasticsearch.PreadPlugin",
        new Http(running.awaitPort()).get("/_nodes/plugins").findValue("classname").asText());
  }

  /** The cache sizes itself. */
  @ParameterizedTest
  @Tag("nightly")
  @ValueSource(strings = {"ffm", "jni", "channel"})
  void answersByAllBackends(String backend, @TempDir Path home) throws Exception {
    ServerHome server = new ServerHome(home, ServerHome.zip());
    try (ServerProcess running = ServerLauncher.start(server, Map.of("pread.backend", backend))) {
      String log = running.said();
      assertTrue(log.contains("ElasticCache"), log);
      Messages.assertNames(Messages.cacheLine(log), "auto", "[16kb]", "[" + backend + "]");
      Scenario scenario = new Scenario(new Http(running.awaitPort()), DOCUMENTS);
      scenario.create(0);
      scenario.change();
      scenario.check();
      JsonNode stats = scenario.stats("real");
      assertEquals(backend, stats.at("/backend").asText());
      JsonNode cache = stats.at("/cache");
      assertTrue(cache.at("/elastic").asBoolean(), stats::toString);
      assertTrue(cache.at("/memory_in_bytes").asLong() > 0, stats::toString);
      assertTrue(cache.at("/memory_limit_in_bytes").asLong() > 0, stats::toString);
      assertFalse(running.said().contains(ENTITLEMENT_DENIED), running.said());
    }
  }

  @Test
  void aServerOfAnotherVersionRefusesThePlugin(@TempDir Path home) throws Exception {
    ServerHome server = new ServerHome(home, ServerHome.zip());
    ServerHome.sayVersion(server.pluginFolder().resolve(ServerHome.DESCRIPTOR), "9.4.0");
    IOException refused =
        assertThrows(IOException.class, () -> ServerLauncher.start(server, Map.of()).close());
    String message =
        "Plugin [pread] was built for Elasticsearch version 9.4.0 but version "
            + Build.current().version()
            + " is running";
    assertTrue(refused.getMessage().contains(message), refused::getMessage);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "pread.cache.size | 100% | [100%] auto 384mb",
        "pread.cache.size | 4b | [4] auto 16384",
        "pread.block.size | 5kb | [5kb] 4096 65536",
        "pread.backend | fast | [fast] auto ffm jni channel",
        "pread.cache.sise | 1gb | unknown setting",
      })
  void doesNotStartWithWhatCannotBe(String key, String value, String names, @TempDir Path home)
      throws Exception {
    ServerHome server = new ServerHome(home, ServerHome.zip());
    IOException refused =
        assertThrows(
            IOException.class, () -> ServerLauncher.start(server, Map.of(key, value)).close());
    Messages.assertNames(refused.getMessage(), "[" + key + "]");
    Messages.assertNames(refused.getMessage(), (Object[]) names.split(" ", -1));
  }
}
