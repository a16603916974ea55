/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.elasticsearch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pread.harness.ServerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the plugin's entitlement policy has to grant, and that it grants no more. */
@Tag("slow")
class PolicyServerTest {

  private static final int DOCUMENTS = 2000;

  /** The list of hot blocks, and that it needs its part of the policy. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void startsWarmAsThePolicySays(boolean allowed, @TempDir Path home) throws Exception {
    ServerHome server = new ServerHome(home, ServerHome.zip());
    if (!allowed) {
      takeAway(server, "pread");
    }
    Map<String, String> settings = Map.of("pread.cache.warm_restart", "true");
    String refusal = "no list of hot blocks is kept";
    Scenario scenario;
    try (ServerProcess running = ServerLauncher.start(server, settings)) {
      assertEquals(!allowed, running.said().contains(refusal), running.said());
      scenario = new Scenario(new Http(running.awaitPort()), DOCUMENTS);
      scenario.createAndFlush();
    }
    if (allowed) {
      try (ServerProcess running = ServerLauncher.start(server, settings)) {
        scenario = scenario.on(new Http(running.awaitPort()));
        scenario.awaitHealth("green");
        scenario.awaitRestored("real");
        scenario.check();
        assertFalse(running.said().contains(RealServerTest.ENTITLEMENT_DENIED), running.said());
      }
    }
  }

  /**
   * The policy names the link, and where it leads is not known to it before the folder is there.
   */
  @Test
  void keepsItsListWhereTheDataAreBehindALink(@TempDir Path home) throws Exception {
    ServerHome server = new ServerHome(home, ServerHome.zip());
    Path disk = Files.createDirectory(home.resolve("disk"));
    Path data = Files.createSymbolicLink(home.resolve("link"), disk);
    Map<String, String> settings =
        Map.of("pread.cache.warm_restart", "true", "path.data", data.toString());
    try (ServerProcess running = ServerLauncher.start(server, settings)) {
      Scenario scenario = new Scenario(new Http(running.awaitPort()), DOCUMENTS);
      scenario.createAndFlush();
      assertFalse(running.said().contains(RealServerTest.ENTITLEMENT_DENIED), running.said());
    }
    String said = Files.readString(home.resolve("logs/console.log"));
    assertFalse(said.contains("HotList"), said);
    assertTrue(Files.size(disk.resolve("pread/hot-blocks")) > 0);
  }

  /** Indexes with a folder of their own, and that these need their part of the policy. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void readsUnderSharedDataAsThePolicySays(boolean allowed, @TempDir Path home) throws Exception {
    ServerHome server = new ServerHome(home, ServerHome.zip());
    if (!allowed) {
      takeAway(server, "");
    }
    Path shared = Files.createDirectories(home.resolve("shared"));
    Map<String, String> settings =
        Map.of("pread.backend", "channel", "path.shared_data", shared.toString());
    try (ServerProcess running = ServerLauncher.start(server, settings)) {
      for (String type : List.of("pread", "pread_direct")) {
        JsonNode made =
            new Http(running.awaitPort())
                .put(
                    "/" + type + "?timeout=" + (allowed ? "60s" : "5s"),
                    String.format(
                        Locale.ROOT,
                        "{\"settings\":{\"index.store.type\":\"%s\",\"index.data_path\":\"%s\"}}",
                        type,
                        shared.resolve("own")));
        assertEquals(allowed, made.at("/shards_acknowledged").asBoolean(), running.said());
      }
      if (allowed) {
        new Http(running.awaitPort())
            .put("/pread_direct/_doc/1?refresh=true", "{\"text\":\"one\"}");
        assertEquals(
            1, new Http(running.awaitPort()).get("/pread_direct/_count").at("/count").asInt());
        assertTrue(Files.isDirectory(shared.resolve("own")));
      }
    }
  }

  /** Takes the files below a path out of the policy. */
  private static void takeAway(ServerHome server, String path) throws IOException {
    Path policy = server.pluginFolder().resolve("entitlement-policy.yaml");
    String whole = Files.readString(policy);
    String files = "      - relative_path: \"" + path + "\"\n.*\n.*\n";
    Files.writeString(policy, whole.replaceAll(files, ""));
    assertNotEquals(whole, Files.readString(policy));
  }

  /** So there is nothing in the policy that is not needed. */
  @ParameterizedTest
  @Tag("nightly")
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
    Map<String, String> settings =
        new HashMap<>(isOfThreads ? Map.of() : RealServerTest.TINY_CACHE);
    settings.put("pread.backend", backend);
    try (ServerProcess running = ServerLauncher.start(server, settings)) {
      JsonNode made =
          new Http(running.awaitPort())
              .put("/probe?timeout=5s", "{\"settings\":{\"index.store.type\":\"pread\"}}");
      assertTrue(made.at("/shards_acknowledged").asBoolean(), made::toString);
      Scenario scenario = new Scenario(new Http(running.awaitPort()), DOCUMENTS);
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

  /** Leaves out a line "- entitlement" of the module and what is indented under it. */
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
