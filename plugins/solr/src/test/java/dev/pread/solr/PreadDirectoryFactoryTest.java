/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.solr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.DirectPreadDirectory;
import dev.pread.PreadDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FilterDirectory;
import org.apache.lucene.store.NIOFSDirectory;
import org.apache.solr.core.CoreContainer;
import org.apache.solr.core.SolrCore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What users do with a core, in a Solr in this process, beside a core on Solr's own factory. */
class PreadDirectoryFactoryTest {

  private static final String PREAD_FACTORY = PreadDirectoryFactory.class.getName();
  private static final String SOLR_FACTORY = "solr.NIOFSDirectoryFactory";
  private static final String DIRECT_ARGUMENT = "<str name=\"type\">pread_direct</str>";
  private static final List<String> CORES = List.of("plain", "pread", "direct");
  private static final int BOOKS = 3_000;

  @TempDir Path home;

  private final List<String> properties = new ArrayList<>();

  private void set(String key, String value) {
    System.setProperty(key, value);
    properties.add(key);
  }

  @AfterEach
  void forgetProperties() {
    properties.forEach(System::clearProperty);
  }

  private void addCores() throws IOException {
    Node.addCore(home, "plain", SOLR_FACTORY, "");
    Node.addCore(home, "pread", PREAD_FACTORY, "");
    Node.addCore(home, "direct", PREAD_FACTORY, DIRECT_ARGUMENT);
  }

  @ParameterizedTest
  @Tag("slow")
  @ValueSource(strings = {"ffm", "jni", "channel"})
  void answersAsSolrsOwnWhateverHappensToTheIndex(String backend) throws Exception {
    set("pread.cache.size", "256kb");
    set("pread.block.size", "4kb");
    set("pread.backend", backend);
    addCores();
    try (Node node = Node.start(home)) {
      for (String core : CORES) {
        node.add(core, 0, BOOKS);
        node.commit(core);
        node.update(core, 100, 400);
        node.delete(core, "text:w5");
        node.add(core, BOOKS, BOOKS + 500);
        node.commit(core);
      }
      checkAnswers(node);
      CORES.forEach(node.container::reload);
      checkAnswers(node);
      for (String core : CORES) {
        node.merge(core);
      }
      checkAnswers(node);
      Map<?, ?> figures = Node.figures(node.container);
      assertEquals(backend, figures.get("backend"));
      assertEquals(256L << 10, figures.get("cache.size_in_bytes"));
      assertTrue((long) figures.get("cache.evictions") > 0, figures::toString);
      assertEquals(1, figures.get("directories.pread"), figures::toString);
      assertEquals(1, figures.get("directories.pread_direct"), figures::toString);
      if (backend.equals("channel")) {
        // It has no direct I/O, which the directories for the notes of a core do not need.
        assertEquals("no", figures.get("direct_io.in_use"), figures::toString);
      }
    }
    try (Node again = Node.start(home)) {
      checkAnswers(again);
    }
  }

  private static void checkAnswers(Node node) throws Exception {
    List<String> wanted = node.answers("plain");
    assertTrue(wanted.getFirst().contains("numFound="), wanted::toString);
    assertEquals(wanted, node.answers("pread"));
    assertEquals(wanted, node.answers("direct"));
  }

  @Test
  @Tag("slow")
  void coresShareACacheThatGoesWithTheLastOfThem() throws Exception {
    set("pread.cache.max", "32mb");
    addCores();
    try (Node node = Node.start(home)) {
      assertEquals(PreadDirectory.class, directory(node, "pread").getClass());
      assertEquals(DirectPreadDirectory.class, directory(node, "direct").getClass());
      assertEquals(true, Node.figures(node.container).get("cache.elastic"));
      assertEquals(32L << 20, Node.figures(node.container).get("cache.size_in_bytes"));
      assertFalse(Node.figures(node.container).containsValue(null), "a reporter fails for it");
      assertEquals(
          ((PreadDirectory) directory(node, "pread")).config().cache(),
          ((DirectPreadDirectory) directory(node, "direct")).config().cache());
      node.container.unload("pread");
      assertEquals(0, Node.figures(node.container).get("directories.pread"));
      assertEquals(1, Node.figures(node.container).get("directories.pread_direct"));
      node.container.unload("direct");
      assertFalse(
          node.container
              .getMetricManager()
              .registry("solr.node")
              .getMetrics()
              .containsKey("CACHE.pread"));
    }
  }

  private static Directory directory(Node node, String core) throws IOException {
    try (SolrCore opened = node.container.getCore(core)) {
      var searcher = opened.getSearcher();
      try {
        return FilterDirectory.unwrap(searcher.get().getIndexReader().directory());
      } finally {
        searcher.decref();
      }
    }
  }

  /** That a reload does not is why docs/solr.md says to restart, or to unload and create. */
  @Test
  @Tag("slow")
  void aCoreThatIsMadeAnewTakesWhatItsConfigurationSays() throws Exception {
    Node.addCore(home, "books", SOLR_FACTORY, "");
    try (Node node = Node.start(home)) {
      node.add("books", 0, 100);
      node.commit("books");
      Node.addCore(home, "books", PREAD_FACTORY, "");
      node.container.reload("books");
      assertEquals(NIOFSDirectory.class, directory(node, "books").getClass());
      node.unloadAndCreate("books");
      assertEquals(PreadDirectory.class, directory(node, "books").getClass());
      assertEquals(100, node.count("books", "*:*"));
      Node.addCore(home, "books", PREAD_FACTORY, DIRECT_ARGUMENT);
      node.container.reload("books");
      assertEquals(PreadDirectory.class, directory(node, "books").getClass());
    }
    try (Node node = Node.start(home)) {
      assertEquals(DirectPreadDirectory.class, directory(node, "books").getClass());
      assertEquals(100, node.count("books", "*:*"));
    }
  }

  @Test
  @Tag("slow")
  void aNodeThatCanNotShowItsFiguresLeavesTheListToTheNextOne() throws Exception {
    set("pread.cache.warm_restart", "true");
    Node.addCore(home, "books", PREAD_FACTORY, "");
    CoreContainer withoutMetrics = new CoreContainer(home, new Properties());
    try {
      assertThrows(NullPointerException.class, () -> SharedNode.acquire(withoutMetrics));
    } finally {
      withoutMetrics.shutdown();
    }
    Path list = home.resolve("pread/hot-blocks");
    Files.delete(list);
    Node.start(home).close();
    assertTrue(Files.exists(list));
  }

  /** The list of hot blocks is in the home of Solr. */
  @Test
  @Tag("slow")
  void readsAfterARestartWhatItsCacheHad() throws Exception {
    set("pread.cache.warm_restart", "true");
    addCores();
    try (Node node = Node.start(home)) {
      node.add("pread", 0, BOOKS);
      node.commit("pread");
      node.answers("pread");
    }
    try (Node node = Node.start(home)) {
      node.answers("pread");
      long restored = 0;
      for (int i = 0; i < 600 && restored == 0; i++) {
        Thread.sleep(100);
        restored = (long) Node.figures(node.container).get("cache.blocks_restored");
      }
      assertTrue(restored > 0);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "pread.cache.size | many | auto 384mb 512mb",
        "pread.cache.size | 1000tb | auto 384mb 512mb",
        "pread.cache.max | many | none 50% pread.cache.size",
        "pread.block.size | 5kb | 4096 65536",
        "pread.queue.depth | 2000 | 1024",
        "pread.backend | fast | auto ffm jni channel",
        "pread.cache.warm_restart | yes | true false",
      })
  void refusesOptionsByName(String key, String value, String names) throws Exception {
    set(key, value);
    Node.addCore(home, "pread", PREAD_FACTORY, "");
    assertRefused("[" + key + "] [" + value + "] " + names);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "<str name=\"type\">mmap</str> | [mmap] pread pread_direct",
        "<str name=\"typ\">pread</str> | [typ] [type] [solr.data.home]",
      })
  void refusesArgumentsByName(String arguments, String names) throws Exception {
    Node.addCore(home, "pread", PREAD_FACTORY, arguments);
    assertRefused(names);
  }

  /** Without it, a core that had it would start with an empty index in another folder. */
  @Test
  void theFolderForDataIsWhereTheCoreHasItsIndex() throws Exception {
    Path data = home.resolve("elsewhere");
    String argument = "<str name=\"solr.data.home\">" + data + "</str>";
    Node.addCore(home, "pread", PREAD_FACTORY, argument);
    try (Node node = Node.start(home)) {
      assertEquals(PreadDirectory.class, directory(node, "pread").getClass());
      assertTrue(Files.isDirectory(data.resolve("pread/data/index")));
    }
  }

  /**
   * @param names what the message names, between blanks
   */
  private void assertRefused(String names) {
    try (Node node = Node.start(home)) {
      StringBuilder said = new StringBuilder();
      for (Throwable why = node.container.getCoreInitFailures().get("pread").exception;
          why != null;
          why = why.getCause()) {
        said.append(why.getMessage()).append('\n');
      }
      for (String name : names.split(" ", -1)) {
        assertTrue(said.toString().contains(name), said.toString());
      }
    }
  }
}
