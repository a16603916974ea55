/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.solr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.stream.Stream;
import org.apache.solr.client.solrj.SolrServerException;
import org.apache.solr.embedded.JettyConfig;
import org.apache.solr.embedded.JettySolrRunner;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A follower copies the index of a leader from server to server, saves it, and gets it back. */
@Tag("slow")
@Timeout(120)
class ReplicationTest {

  private static final String CORE = "books";
  private static final int BATCH = 200;
  private static final int COPIES = 8;

  /** Otherwise each server would have to be told the other one's port, which is free by chance. */
  private static final String ANY_LEADER = "solr.disable.allowUrls";

  @TempDir Path folder;

  @BeforeAll
  static void allowAnyLeader() {
    System.setProperty(ANY_LEADER, "true");
  }

  @AfterAll
  static void forgetProperty() {
    System.clearProperty(ANY_LEADER);
  }

  /** Starts a server on the loopback interface. */
  private JettySolrRunner start(String name, String type) throws Exception {
    Path home = folder.resolve(name);
    Node.addCore(
        home, CORE, PreadDirectoryFactory.class.getName(), "<str name=\"type\">" + type + "</str>");
    JettyConfig config = JettyConfig.builder().setPort(0).build();
    JettySolrRunner server = new JettySolrRunner(home.toString(), new Properties(), config);
    server.start();
    return server;
  }

  @ParameterizedTest
  @ValueSource(strings = {"pread", "pread_direct"})
  void aFollowerAnswersAsItsLeader(String type) throws Exception {
    JettySolrRunner leading = start("leader", type);
    try {
      JettySolrRunner following = start("follower", type);
      try {
        Node leader = Node.of(leading.getCoreContainer());
        Node follower = Node.of(following.getCoreContainer());
        String address = leading.getBaseUrl() + "/" + CORE;
        for (int copy = 0; copy < COPIES; copy++) {
          leader.add(CORE, copy * BATCH, (copy + 1) * BATCH);
          leader.update(CORE, 0, copy * 10);
          leader.commit(CORE);
          if (copy == COPIES / 2) {
            leader.merge(CORE);
          }
          follower.replicate(CORE, "fetchindex", "leaderUrl", address, "wait", "true");
          awaitSame(leader, follower);
        }
        // With direct I/O there could be none, but where it is not to be had.
        assertEquals(List.of(), deletedFilesThatAreOpen());
        saveAndRestore(leader, follower);
      } finally {
        following.stop();
      }
    } finally {
      leading.stop();
    }
  }

  private void saveAndRestore(Node leader, Node follower) throws Exception {
    List<String> saved = follower.answers(CORE);
    String place = folder.resolve("follower").resolve(CORE).resolve("data").toString();
    follower.replicate(CORE, "backup", "name", "one", "location", place);
    assertTrue(await(() -> follower.replicate(CORE, "details").contains("status=success")));
    follower.delete(CORE, "text:w1");
    follower.commit(CORE);
    assertNotEquals(saved, follower.answers(CORE));
    follower.replicate(CORE, "restore", "name", "one", "location", place);
    assertTrue(await(() -> follower.replicate(CORE, "restorestatus").contains("status=success")));
    awaitSame(leader, follower);
  }

  /** A new index is searched a moment after it has been copied. */
  private static void awaitSame(Node leader, Node follower) throws Exception {
    List<String> wanted = leader.answers(CORE);
    assertFalse(wanted.get(0).contains("numFound=0"), wanted::toString);
    boolean ignored = await(() -> follower.answers(CORE).equals(wanted));
    assertEquals(wanted, follower.answers(CORE));
  }

  private interface Condition {
    boolean isMet() throws IOException, SolrServerException;
  }

  /** Waits for a condition, and returns whether it is met in time. */
  private static boolean await(Condition condition) throws Exception {
    long deadline = System.nanoTime() + Duration.ofMinutes(1).toNanos();
    boolean isMet = condition.isMet();
    while (!isMet && System.nanoTime() < deadline) {
      Thread.sleep(20);
      isMet = condition.isMet();
    }
    return isMet;
  }

  /** Returns what the follower has renamed and replaced, and nobody will ever open again. */
  private List<String> deletedFilesThatAreOpen() throws IOException {
    String place = folder.toRealPath().toString();
    try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
      return descriptors
          .map(ReplicationTest::target)
          .filter(name -> name.startsWith(place) && name.endsWith(" (deleted)"))
          .filter(name -> name.contains("replication.properties"))
          .toList();
    }
  }

  private static String target(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor).toString();
    } catch (IOException e) {
      return "closed meanwhile";
    }
  }
}
