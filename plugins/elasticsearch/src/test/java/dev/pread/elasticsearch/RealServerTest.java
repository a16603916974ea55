/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.elasticsearch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
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
  private static final String DENIED = "NotEntitledException";

  /** So that all that is read comes and goes, and is prefetched. */
  private static final Map<String, String> TINY_CACHE =
      Map.of("pread.cache.size", "256kb", "pread.block.size", "4kb");

  @Test
  void answersAndRestarts(@TempDir Path home) throws Exception {
    ServerHome server = new ServerHome(home, ServerHome.zip());
    Map<String, String> settings = TINY_CACHE;
    Scenario scenario;
    try (RealServer running = new RealServer(server, settings)) {
      // What an operator wants to know before anything goes wrong.
      String log = running.printed();
      assertTrue(
          log.contains("pread: block cache of [256kb] in blocks of [4kb], backend [ffm]; of a"),
          log);
      assertTrue(log.contains("the heap [512mb] and the cache leave ["), log);
      scenario = new Scenario(running.http(), DOCUMENTS);
      scenario.live(home.resolve("repo"));
      checkRunning(running, scenario);
    }
    try (RealServer running = new RealServer(server, settings)) {
      scenario = scenario.on(running.http());
      scenario.awaitHealth("green");
      scenario.check();
      checkRunning(running, scenario);
    }
  }

  private static void checkRunning(RealServer running, Scenario scenario) throws IOException {
    JsonNode stats = scenario.stats("real");
    assertEquals("ffm", stats.at("/backend").asText());
    assertEquals(2, stats.at("/directories/pread_direct").asInt());
    assertTrue(stats.at("/cache/evictions").asLong() > 0, stats::toString);
    assertFalse(running.printed().contains(DENIED), running.printed());
    assertEquals(
        "dev.pread.elasticsearch.PreadPlugin",
        running.http().get("/_nodes/plugins").findValue("classname").asText());
  }

  /** With a cache that sizes itself. */
  @ParameterizedTest
  @ValueSource(strings = {"ffm", "jni", "channel"})
  void answersByAllBackends(String backend, @TempDir Path home) throws Exception {
    ServerHome server = new ServerHome(home, ServerHome.zip());
    try (RealServer running = new RealServer(server, Map.of("pread.backend", backend))) {
      String log = running.printed();
      assertTrue(
          log.contains("] (auto: just now) in blocks of [16kb], backend [" + backend + "]; of a "),
          log);
      assertTrue(log.contains("the block cache may have "), log);
      Scenario scenario = new Scenario(running.http(), DOCUMENTS);
      scenario.create(0);
      scenario.change();
      scenario.check();
      JsonNode stats = scenario.stats("real");
      assertEquals(backend, stats.at("/backend").asText());
      JsonNode cache = stats.at("/cache");
      assertTrue(cache.at("/elastic").asBoolean(), stats::toString);
      assertTrue(cache.at("/memory_in_bytes").asLong() > 0, stats::toString);
      assertTrue(cache.at("/memory_limit_in_bytes").asLong() > 0, stats::toString);
      assertFalse(running.printed().contains(DENIED), running.printed());
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "pread.cache.size | 1000tb | use auto, 0 for no cache, a size from 65536 bytes (64kb) to ",
        "pread.cache.size | 101% | or a percentage from 0% to ",
        "pread.cache.size | 100% | or a percentage from 0% to ",
        "pread.block.size | 5kb | use a power of two from 4kb to 64kb",
        "pread.backend | fast | unknown backend \"fast\"",
        "pread.cache.sise | 1gb | unknown setting [pread.cache.sise]",
      })
  void doesNotStartWithWhatCannotBe(String key, String value, String message, @TempDir Path home)
      throws Exception {
    ServerHome server = new ServerHome(home, ServerHome.zip());
    IOException refused =
        assertThrows(IOException.class, () -> new RealServer(server, Map.of(key, value)).close());
    assertTrue(refused.getMessage().contains(message), refused::getMessage);
    assertTrue(refused.getMessage().contains(key), refused::getMessage);
  }

  /** The list of hot blocks, and that it needs its part of the policy. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void startsWarmAsThePolicySays(boolean allowed, @TempDir Path home) throws Exception {
    ServerHome server = new ServerHome(home, ServerHome.zip());
    Path policy = server.pluginFolder().resolve("entitlement-policy.yaml");
    String whole = Files.readString(policy);
    if (!allowed) {
      Files.writeString(policy, whole.replaceAll("      - relative_path: \"pread\"\n.*\n.*\n", ""));
      assertNotEquals(whole, Files.readString(policy));
    }
    Map<String, String> settings = Map.of("pread.cache.warm_restart", "true");
    String refusal = "no list of hot blocks is kept";
    Scenario scenario;
    try (RealServer running = new RealServer(server, settings)) {
      assertEquals(!allowed, running.printed().contains(refusal), running.printed());
      scenario = new Scenario(running.http(), DOCUMENTS);
      scenario.createAndFlush();
    }
    if (allowed) {
      try (RealServer running = new RealServer(server, settings)) {
        scenario = scenario.on(running.http());
        scenario.awaitHealth("green");
        scenario.awaitRestored("real");
        scenario.check();
        assertFalse(running.printed().contains(DENIED), running.printed());
      }
    }
  }

  /** Indexes with a folder of their own, and that these need their part of the policy. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void readsUnderSharedDataAsThePolicySays(boolean allowed, @TempDir Path home) throws Exception {
    ServerHome server = new ServerHome(home, ServerHome.zip());
    Path policy = server.pluginFolder().resolve("entitlement-policy.yaml");
    String whole = Files.readString(policy);
    if (!allowed) {
      Files.writeString(policy, whole.replaceAll("      - relative_path: \"\"\n.*\n.*\n", ""));
      assertNotEquals(whole, Files.readString(policy));
    }
    Path shared = Files.createDirectories(home.resolve("shared"));
    Map<String, String> settings =
        Map.of("pread.backend", "channel", "path.shared_data", shared.toString());
    try (RealServer running = new RealServer(server, settings)) {
      for (String type : List.of("pread", "pread_direct")) {
        JsonNode made =
            running
                .http()
                .put(
                    "/" + type + "?timeout=" + (allowed ? "60s" : "5s"),
                    String.format(
                        Locale.ROOT,
                        "{\"settings\":{\"index.store.type\":\"%s\",\"index.data_path\":\"%s\"}}",
                        type,
                        shared.resolve("own")));
        assertEquals(allowed, made.at("/shards_acknowledged").asBoolean(), running.printed());
      }
      if (allowed) {
        running.http().put("/pread_direct/_doc/1?refresh=true", "{\"text\":\"one\"}");
        assertEquals(1, running.http().get("/pread_direct/_count").at("/count").asInt());
        assertTrue(Files.isDirectory(shared.resolve("own")));
      }
    }
  }

  /** What docs/elasticsearch.md says of an index that is forgotten when the plugin is removed. */
  @Test
  void anIndexThatIsForgottenIsWhole(@TempDir Path home) throws Exception {
    ServerHome server = new ServerHome(home, ServerHome.zip());
    String unknown = "Unknown store type [pread]";
    try (RealServer running = new RealServer(server, Map.of())) {
      running
          .http()
          .put("/left", "{\"settings\":{\"index.store.type\":\"pread\",\"number_of_replicas\":0}}");
      running.http().put("/left/_doc/1", "{\"text\":\"one\"}");
    }
    server.removePlugin();
    try (RealServer running = new RealServer(server, Map.of())) {
      Http http = running.http();
      awaitExplanation(http, unknown);
      String change = "{\"index.store.type\":null}";
      String refused = http.send("PUT", "/left/_settings?reopen=true", change).body();
      assertTrue(refused.contains(unknown), refused);
      refused = http.send("PUT", "/new", "{\"settings\":{\"index.store.type\":\"pread\"}}").body();
      assertTrue(refused.contains(unknown), refused);
    }
    server.installPlugin(ServerHome.zip());
    try (RealServer running = new RealServer(server, Map.of())) {
      running.http().post("/_cluster/reroute?retry_failed=true&metric=none", null);
      new Scenario(running.http(), 0).awaitHealth("green");
      assertEquals(1, running.http().get("/left/_count").at("/count").asInt());
    }
  }

  /** Red it is before it has been tried, too. */
  private static void awaitExplanation(Http http, String wanted) throws Exception {
    String path = "/_cluster/allocation/explain?index=left&shard=0&primary=true";
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    String why = "";
    while (!why.contains(wanted)) {
      assertTrue(System.nanoTime() - end < 0, why);
      Thread.sleep(200);
      why = http.send("GET", path, null).body();
    }
  }

  /** So there is nothing in the policy that is not needed. */
  @ParameterizedTest
  @CsvSource({
    // The server denies files by an IOException, which has no errno and is told as it is.
    "dev.pread, files, channel, 'NotEntitledException: component [pread], module [dev.pread]'",
    "dev.pread, manage_threads, ffm, 'component [pread], module [dev.pread]'",
    "dev.pread.ffi, load_native_libraries, ffm, 'component [pread], module [dev.pread.ffi]'",
    "dev.pread.jni, load_native_libraries, jni, 'component [pread], module [dev.pread.jni]'",
  })
  void failsWithLessThanItsPolicy(
      String module, String entitlement, String backend, String logged, @TempDir Path home)
      throws Exception {
    ServerHome server = new ServerHome(home, ServerHome.zip());
    Path policy = server.pluginFolder().resolve("entitlement-policy.yaml");
    Files.writeString(policy, without(Files.readString(policy), module, entitlement));
    // The thread that sizes a cache is always needed; those that prefetch are not where a queue
    // does.
    boolean isOfThreads = entitlement.equals("manage_threads");
    Map<String, String> settings = new HashMap<>(isOfThreads ? Map.of() : TINY_CACHE);
    settings.put("pread.backend", backend);
    try (RealServer running = new RealServer(server, settings)) {
      JsonNode made =
          running
              .http()
              .put("/probe?timeout=5s", "{\"settings\":{\"index.store.type\":\"pread\"}}");
      assertTrue(made.at("/shards_acknowledged").asBoolean(), made::toString);
      Scenario scenario = new Scenario(running.http(), DOCUMENTS);
      scenario.create(0);
      scenario.change();
      scenario.check();
    } catch (IOException | AssertionError e) {
      // Some can't even start, some fail a request, some a thread.
      assertNotNull(e.getMessage());
    }
    String log = Files.readString(home.resolve("logs/console.log"));
    assertTrue(log.contains(logged), log);
  }

  /** A line "- entitlement" of the module and what is indented under it. */
  private static String without(String policy, String module, String entitlement) {
    StringBuilder left = new StringBuilder();
    boolean inModule = false;
    boolean inEntitlement = false;
    boolean found = false;
    for (String line : policy.lines().toList()) {
      if (!line.startsWith(" ") && !line.startsWith("#")) {
        inModule = line.equals(module + ":");
      }
      if (!line.startsWith("    ")) {
        inEntitlement = inModule && line.startsWith("  - " + entitlement);
        found |= inEntitlement;
      }
      left.append(inEntitlement ? "" : line + "\n");
    }
    assertTrue(found, entitlement);
    // A module that is left with nothing is no policy.
    return left.toString().replaceAll("(?m)^\\S+:\\n(?=\\S|\\z|  #.*\\n\\S)", "");
  }
}
