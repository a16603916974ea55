/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.opensearch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.harness.ServerProcess;
import dev.pread.opensearch.server.ServerHome;
import dev.pread.opensearch.server.ServerLauncher;
import dev.pread.plugin.Messages;
import dev.pread.plugin.NodeDirectories;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Servers in processes of their own, as nobody's, with the plugin as its zip installs it. */
class RealServerIT {

  private static final String POLICY = "plugin-security.policy";
  private static final List<String> HEAP = List.of("-Xms512m", "-Xmx512m");

  private static Map<String, String> settings(String backend) {
    return Map.of(
        "node.processors",
        "2",
        "pread.cache.size",
        "2mb",
        "pread.block.size",
        "4kb",
        "pread.backend",
        backend);
  }

  @Test
  void answersAsHybridfsDoes() throws Exception {
    answersAsHybridfsDoes(ServerVersion.NEWEST);
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NEWEST")
  @Tag("nightly")
  void answersAsHybridfsDoesInOtherServers(ServerVersion version) throws Exception {
    answersAsHybridfsDoes(version);
  }

  private static void answersAsHybridfsDoes(ServerVersion version) throws Exception {
    String backend = version.backend();
    try (Servers servers = new Servers()) {
      ServerHome home = servers.home(version, "home");
      IndexLife life;
      try (ServerProcess server = ServerLauncher.start(home, HEAP, settings(backend));
          Rest rest = new Rest(server.awaitPort())) {
        checkSecurity(version, home, server);
        // An operator wants to know this before anything goes wrong.
        Messages.assertNames(
            Messages.cacheLine(server.said()), "[2mb]", "[4kb]", "[" + backend + "]", "[512mb]");
        assertTrue(rest.text("GET", "/_cat/plugins", null).contains("pread"));
        life = new IndexLife(rest, false);
        life.create();
        life.fill(20_000);
        life.update(20_000);
        StatsCheck stats = new StatsCheck(rest);
        stats.countsOpenDirectories(1);
        stats.countsReads();
        stats.hasATable();
        life.snapshotAndRestore();
        life.closeAndOpen();
      }
      // This one runs with the defaults.
      try (ServerProcess server = ServerLauncher.start(home, HEAP, Map.of("node.processors", "2"));
          Rest rest = new Rest(server.awaitPort())) {
        String log = server.said();
        String last = log.substring(log.lastIndexOf(NodeDirectories.CACHE_LINE));
        Messages.assertNames(
            Messages.cacheLine(last), "auto", "now", "[16kb]", "[" + backend + "]");
        // The logger is named by some servers only.
        server.awaitSaid("the block cache may have");
        IndexLife again = life.goOnWith(rest);
        again.checkAnswers();
        StatsCheck stats = new StatsCheck(rest);
        stats.tellsOfAnElasticCache();
        assertEquals(backend, Rest.at(stats.figures(), "backend"));
        again.goBack();
        assertNothingDenied(server);
      }
    }
  }

  /** All indexes are there after a crash, with what was not committed, and answer as before. */
  @Test
  void recoversInTheServerWithLucene9() throws Exception {
    recovers(ServerVersion.LUCENE9);
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "LUCENE9")
  @Tag("nightly")
  void recovers(ServerVersion version) throws Exception {
    Map<String, String> settings = new HashMap<>(settings(version.backend()));
    settings.put("pread.cache.warm_restart", "true");
    try (Servers servers = new Servers()) {
      ServerHome home = servers.home(version, "home");
      IndexLife life;
      try (ServerProcess server = ServerLauncher.start(home, HEAP, settings);
          Rest rest = new Rest(server.awaitPort())) {
        checkSecurity(version, home, server);
        life = new IndexLife(rest, false);
        life.create();
        life.fill(2_000);
        life.update(2_000);
        server.kill();
      }
      settings.remove("pread.cache.size");
      settings.put("pread.cache.max", "2mb");
      try (ServerProcess server = ServerLauncher.start(home, HEAP, settings);
          Rest rest = new Rest(server.awaitPort())) {
        life.goOnWith(rest).checkAnswers();
        String log = server.said();
        String last = log.substring(log.lastIndexOf(NodeDirectories.CACHE_LINE));
        Messages.assertNames(Messages.cacheLine(last), "auto", "at most", "[2mb]");
        assertFalse(server.said().contains("HotList"), server.said());
        assertNothingDenied(server);
      }
    }
  }

  /** The agent forbids what no policy names; the plugin has one for the security manager alone. */
  private static void checkSecurity(ServerVersion version, ServerHome home, ServerProcess server)
      throws IOException {
    boolean hasManager = version == ServerVersion.LUCENE9;
    assertEquals(hasManager, Files.exists(home.plugin().resolve(POLICY)));
    String said =
        hasManager
            ? "System::setSecurityManager has been called by org.opensearch.bootstrap.Security"
            : "-javaagent:";
    assertTrue(server.said().contains(said), server.said());
  }

  /** Takes a line out of the plugin's policy. */
  private static void deny(ServerHome home, String permission) throws IOException {
    Path policy = home.plugin().resolve(POLICY);
    List<String> all = Files.readAllLines(policy);
    List<String> left =
        all.stream().filter(line -> !line.contains("\"" + permission + "\"")).toList();
    assertEquals(all.size() - 1, left.size());
    Files.write(policy, left);
  }

  /**
   * That there is nothing in the policy without need: with less it does not start, or lacks the
   * thread that looks after the memory.
   */
  @Test
  @Tag("nightly")
  void needsAllOfItsPolicy() throws Exception {
    // There is a cache of any size, which needs all of the policy.
    Map<String, String> settings = Map.of("pread.backend", "jni");
    try (Servers servers = new Servers()) {
      ServerHome home = servers.home(ServerVersion.LUCENE9, "home");
      try (ServerProcess server = ServerLauncher.start(home, HEAP, settings)) {
        checkSecurity(ServerVersion.LUCENE9, home, server);
        assertNothingDenied(server);
        assertTrue(hasGovernor(server));
      }
      Path policy = home.plugin().resolve(POLICY);
      String whole = Files.readString(policy);
      for (String permission : List.of("loadLibrary.*", "modifyArbitraryThread")) {
        deny(home, permission);
        // The file has what the ones before it said.
        Files.delete(home.path().resolve("logs/console.log"));
        // In place of the star stands the file.
        String name = permission.endsWith("*") ? permission.replace("*", "/") : permission + "\"";
        try (ServerProcess server = ServerLauncher.launch(null, home, HEAP, settings)) {
          assertNotEquals(0, server.awaitEnd(), permission);
          String denied = "Permission\" \"" + name;
          String said = server.said();
          assertTrue(said.contains(denied), () -> denied + " is not named in " + said);
        }
        Files.writeString(policy, whole);
      }
      deny(home, "modifyArbitraryThreadGroup");
      try (ServerProcess server = ServerLauncher.start(home, HEAP, settings)) {
        assertFalse(hasGovernor(server), "then those who read look after the memory");
      }
    }
  }

  /** Returns whether a process has a thread that looks after the memory: its name says figures. */
  private static boolean hasGovernor(ServerProcess server) throws IOException {
    Path threads = Path.of("/proc/" + server.pid() + "/task");
    try (Stream<Path> all = Files.list(threads)) {
      for (Path thread : all.toList()) {
        try {
          if (Files.readString(thread.resolve("comm")).startsWith("pread:")) {
            return true;
          }
        } catch (IOException e) {
          assertFalse(Files.exists(thread), () -> "it has not ended: " + e);
        }
      }
    }
    return false;
  }

  /** The rest of the policy is for speed: this needs all of it, and all works without. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "accessClassInPackage.sun.misc",
        "accessDeclaredMembers",
        "suppressAccessChecks"
      })
  @Tag("nightly")
  void readsByAddressAsItsPolicySays(String denied) throws Exception {
    try (Servers servers = new Servers()) {
      ServerHome home = servers.home(ServerVersion.LUCENE9, "home");
      if (!denied.isEmpty()) {
        deny(home, denied);
      }
      Path log = home.path().resolve("logs/exceptions.log");
      List<String> options = new ArrayList<>(HEAP);
      options.add("-Xlog:exceptions=info:file=" + log);
      try (ServerProcess server = ServerLauncher.start(home, options, settings("jni"));
          Rest rest = new Rest(server.awaitPort())) {
        IndexLife life = new IndexLife(rest, false);
        life.create();
        life.fill(500);
        boolean has = Files.readString(log).contains("dev/pread/store/UnsafeAccess");
        assertEquals(!denied.isEmpty(), has);
      }
    }
  }

  /** A script may do less than the server, and blocks that it misses are read all the same. */
  @Test
  @Tag("nightly")
  void aScriptReadsUnderTheSecurityManager() throws Exception {
    Map<String, String> settings = settings("jni");
    try (Servers servers = new Servers()) {
      ServerHome home = servers.home(ServerVersion.LUCENE9, "home");
      IndexLife life;
      try (ServerProcess server = ServerLauncher.start(home, HEAP, settings);
          Rest rest = new Rest(server.awaitPort())) {
        life = new IndexLife(rest, false);
        life.create();
        life.fill(20_000);
      }
      try (ServerProcess server = ServerLauncher.start(home, HEAP, settings);
          Rest rest = new Rest(server.awaitPort())) {
        checkSecurity(ServerVersion.LUCENE9, home, server);
        life = life.goOnWith(rest);
        StatsCheck stats = new StatsCheck(rest);
        long before = Rest.number(stats.figures(), "cache", "misses");
        life.checkScripts();
        assertTrue(Rest.number(stats.figures(), "cache", "misses") > before);
        assertNothingDenied(server);
      }
    }
  }

  /** There is a zip for each major version, and the installer says which server one is for. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "LUCENE9 | NEWEST | the version needs to contain major, minor, and revision, and optionally"
            + " the build: [3.3.0,3.10.0)",
        "NEWEST | LUCENE9 | was built for OpenSearch version ~2.19.0 but version 3.9.0 is running"
      })
  void refusesTheOtherPlugin(ServerVersion version, ServerVersion of, String message)
      throws Exception {
    try (Servers servers = new Servers()) {
      ServerHome home = servers.bareHome(version, "home");
      IOException refused = assertThrows(IOException.class, () -> home.install(of.zip()));
      assertTrue(refused.getMessage().contains(message), refused::getMessage);
    }
  }

  /** That the agent is on: without its policy the module that opens sockets is not allowed to. */
  @ParameterizedTest
  @EnumSource(names = {"OLDEST", "NEWEST"})
  void theAgentForbidsWhatIsNotGranted(ServerVersion version) throws Exception {
    try (Servers servers = new Servers()) {
      ServerHome home = servers.home(version, "home");
      Files.delete(home.path().resolve("modules/transport-netty4/plugin-security.policy"));
      Map<String, String> settings = new HashMap<>(settings("ffm"));
      settings.put("discovery.type", "zen");
      settings.put("discovery.seed_hosts", "127.0.0.1:9");
      settings.put("cluster.initial_cluster_manager_nodes", "server");
      settings.put("logger.org.opensearch.discovery", "TRACE");
      try (ServerProcess server = ServerLauncher.start(home, HEAP, settings)) {
        server.awaitSaid("SecurityException: Denied access to: 127.0.0.1:9");
      }
    }
  }

  private static void assertNothingDenied(ServerProcess server) throws IOException {
    String said = server.said();
    assertFalse(said.contains("SecurityException"), said);
    assertFalse(said.contains("Denied"), said);
    assertFalse(said.contains("access denied"), said);
    // With the option that the documentation names, the JVM does not warn of native access.
    assertFalse(said.contains("restricted method"), said);
  }

  @ParameterizedTest
  @Tag("nightly")
  @ValueSource(strings = {"jni", "channel"})
  void otherBackendsWorkUnderTheAgentToo(String backend) throws Exception {
    worksOn(backend, ServerVersion.OLDEST);
  }

  @Test
  @Tag("nightly")
  void theOtherBackendWorksUnderTheSecurityManagerToo() throws Exception {
    worksOn("channel", ServerVersion.LUCENE9);
  }

  private static void worksOn(String backend, ServerVersion version) throws Exception {
    try (Servers servers = new Servers()) {
      ServerHome home = servers.home(version, "home");
      try (ServerProcess server = ServerLauncher.start(home, HEAP, settings(backend));
          Rest rest = new Rest(server.awaitPort())) {
        checkSecurity(version, home, server);
        worksOn(backend, server, rest);
      }
    }
  }

  private static void worksOn(String backend, ServerProcess server, Rest rest) throws IOException {
    IndexLife life = new IndexLife(rest, false);
    life.create();
    life.fill(5_000);
    life.closeAndOpen();
    Map<String, Object> figures = new StatsCheck(rest).figures();
    assertEquals(backend, Rest.at(figures, "backend"));
    if (backend.equals("channel")) {
      // This one has no direct I/O: the statistics say it, and the log of the server does.
      assertEquals(1, Rest.number(figures, "direct_io", "uses_page_cache"), figures::toString);
      assertEquals("no", Rest.at(figures, "direct_io", "in_use"));
      assertTrue(server.said().contains("usesPageCache()"), server.said());
    }
    assertNothingDenied(server);
  }

  @ParameterizedTest
  @ValueSource(strings = "100%")
  void refusesWhatCanNotBe(String size) throws Exception {
    try (Servers servers = new Servers();
        ServerProcess server =
            ServerLauncher.launch(
                null,
                servers.home(ServerVersion.NEWEST, "home"),
                HEAP,
                Map.of("pread.cache.size", size))) {
      assertNotEquals(0, server.awaitEnd());
      assertTrue(
          server
              .said()
              .lines()
              .anyMatch(
                  line -> line.contains("[" + size + "]") && line.contains("[pread.cache.size]")),
          server.said());
    }
  }
}
