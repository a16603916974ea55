/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.plugin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.PreadDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FSDirectory;
import org.apache.lucene.store.FSLockFactory;
import org.apache.lucene.store.FilterDirectory;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.apache.lucene.store.IndexOutput;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests them on the backend {@code channel}, which has no direct I/O: it is the only one that is
 * there.
 */
class NodeDirectoriesTest {

  private static final OpenRules RULES = new OpenRules(Set.of("*"), Set.of(), Set.of());

  @TempDir Path folder;

  private final List<String> infos = new ArrayList<>();

  private NodeDirectories node(String backend) {
    return node(1 << 20, backend);
  }

  private NodeDirectories node(long cacheSize, String backend) {
    return node(cacheSize, NodeSettings.NO_MAX, backend);
  }

  private NodeDirectories node(long cacheSize, long cacheMax, String backend) {
    return new NodeDirectories(
        new NodeSettings(cacheSize, cacheMax, 4 << 10, 7, backend, false),
        new CacheSize(4L << 30, 1L << 30, MebiBytes.SIZES),
        () -> {
          throw new AssertionError("nothing is written unless it is asked for");
        },
        infos::add);
  }

  private Directory open(NodeDirectories node, StoreType type) throws IOException {
    return node.open(type, folder.resolve(type.key()), FSLockFactory.getDefault(), RULES);
  }

  private static void writeAndRead(Directory directory) throws IOException {
    try (IndexOutput out = directory.createOutput("_0.doc", IOContext.DEFAULT)) {
      out.writeLong(42);
    }
    try (IndexInput in = directory.openInput("_0.doc", IOContext.DEFAULT)) {
      assertEquals(42, in.readLong());
    }
  }

  @Test
  void countsWhatIsOpen() throws IOException {
    try (NodeDirectories node = node("channel")) {
      assertEquals(new NodeStats.Open(0, 0, 0), node.stats().open());
      Directory buffered = open(node, StoreType.PREAD);
      Directory direct = open(node, StoreType.PREAD_DIRECT);
      writeAndRead(buffered);
      writeAndRead(direct);
      assertEquals(new NodeStats.Open(1, 1, 1), node.stats().open());
      direct.close();
      direct.close();
      assertEquals(new NodeStats.Open(1, 0, 0), node.stats().open());
      buffered.close();
      assertEquals(new NodeStats.Open(0, 0, 0), node.stats().open());
    }
  }

  /** OpenSearch casts what a part of an index is written to. */
  @Test
  void whatIsNoShardsIsADirectoryOfLucenesOwnKindAndDoesNotCount() throws IOException {
    try (NodeDirectories node = node("channel");
        Directory part =
            node.openBeside(StoreType.PREAD, folder.resolve("part"), FSLockFactory.getDefault())) {
      writeAndRead(part);
      assertInstanceOf(FSDirectory.class, part);
      assertEquals(new NodeStats.Open(0, 0, 0), node.stats().open());
    }
  }

  @Test
  void tellsWhatItHas() throws IOException {
    try (NodeDirectories node = node("channel")) {
      NodeStats before = node.stats();
      assertEquals("channel", before.backend());
      assertEquals(1 << 20, before.cache().sizeBytes());
      assertFalse(before.cacheIsElastic());
      assertEquals(4 << 10, before.blockSize());
      assertNull(before.hitRatio());
      try (Directory buffered = open(node, StoreType.PREAD)) {
        writeAndRead(buffered);
        try (IndexInput in = buffered.openInput("_0.doc", IOContext.DEFAULT)) {
          assertEquals(42, in.readLong());
          NodeStats after = node.stats();
          assertTrue(after.cacheUsed() > 0 && after.cacheUsed() <= 1 << 20, after::toString);
          assertTrue(after.hitRatio() >= 0 && after.hitRatio() <= 1, after::toString);
        }
      }
    }
  }

  @Test
  void itsCacheIsWhatItsSettingsSay() throws IOException {
    for (long size : new long[] {NodeSettings.AUTO, 1 << 20}) {
      try (NodeDirectories node = node(size, "channel");
          Directory directory = open(node, StoreType.PREAD)) {
        String cache = ((PreadDirectory) FilterDirectory.unwrap(directory)).cache().toString();
        assertTrue(cache.contains("blockSize=4096, queueDepth=7,"), cache);
      }
    }
  }

  @Test
  void saysWhereTheMemoryGoes() {
    node("channel").close();
    assertEquals(1, infos.size());
    String line = Messages.cacheLine(infos.get(0));
    Messages.assertNames(line, "[1mb]", "[4kb]", "[channel]", "[4096mb]", "[1024mb]", "[3071mb]");
    Messages.assertNames(line, "[512mb]");
  }

  /** The memory of the backend {@code channel} is the collector's. */
  @Test
  void saysThatTheSizeIsFixedWhereMemoryCanNotBeGivenBack() {
    try (NodeDirectories node = node(NodeSettings.AUTO, "channel")) {
      assertFalse(node.stats().cacheIsElastic());
      assertTrue(node.stats().cache().sizeBytes() >= 8 << 20);
    }
    assertEquals(1, infos.size());
    String line = Messages.cacheLine(infos.get(0));
    Messages.assertNames(line, "auto", "fixed", "[4kb]", "[channel]", "[4096mb]", "[1024mb]");
  }

  @Test
  void keepsItsListBesideTheDataIfItIsToldTo() throws IOException {
    for (long size : new long[] {NodeSettings.AUTO, 1 << 20}) {
      Path data = folder.resolve("data" + size);
      new NodeDirectories(
              new NodeSettings(size, NodeSettings.NO_MAX, 4 << 10, 128, "channel", true),
              new CacheSize(4L << 30, 1L << 30, MebiBytes.SIZES),
              () -> data,
              infos::add)
          .close();
      assertTrue(Files.exists(data.resolve("pread/hot-blocks")));
    }
  }

  @Test
  void saysWhereAWarmRestartIsOfNoUse() {
    CacheSize memory = new CacheSize(4L << 30, 1L << 30, MebiBytes.SIZES);
    for (long size : new long[] {0, 1 << 20}) {
      for (boolean isWanted : new boolean[] {true, false}) {
        new NodeDirectories(
                new NodeSettings(size, NodeSettings.NO_MAX, 4 << 10, 128, "channel", isWanted),
                memory,
                () -> folder.resolve("data"),
                infos::add)
            .close();
        String line = infos.get(infos.size() - 1);
        assertEquals(isWanted, line.contains("[pread.cache.warm_restart] has no effect"), line);
      }
    }
  }

  @Test
  void aLogThatFailsLeavesTheListToTheNextOne() throws IOException {
    Path data = folder.resolve("data");
    NodeSettings settings =
        new NodeSettings(1 << 20, NodeSettings.NO_MAX, 4 << 10, 128, "channel", true);
    CacheSize memory = new CacheSize(4L << 30, 1L << 30, MebiBytes.SIZES);
    assertThrows(
        IllegalStateException.class,
        () ->
            new NodeDirectories(
                settings,
                memory,
                () -> data,
                line -> {
                  throw new IllegalStateException("the log is closed");
                }));
    Files.delete(data.resolve("pread/hot-blocks"));
    new NodeDirectories(settings, memory, () -> data, infos::add).close();
    assertTrue(Files.exists(data.resolve("pread/hot-blocks")));
  }

  @Test
  void refusesABackendThatIsNotThere() {
    String message = assertThrows(IllegalArgumentException.class, () -> node("ffm")).getMessage();
    Messages.assertNames(message, "[ffm]", NodeSettings.BACKEND.name(), "auto");
  }

  @Test
  void aBackendThatThePropertyNamesIsNotBlamedOnTheSetting() {
    withProperty(
        "ffm",
        () -> {
          IllegalArgumentException e =
              assertThrows(IllegalArgumentException.class, () -> node("auto"));
          Messages.assertNames(e.getMessage(), "ffm", "-Ddev.pread.backend");
          assertFalse(e.getMessage().contains("[auto]"), e.getMessage());
        });
  }

  /** The memory of the cache comes from the backend that the property names. */
  @Test
  void aPropertyThatIsWrongIsNotBlamedOnTheSizeOfTheCache() {
    for (String backend : List.of("nio", "ffm")) {
      for (long size : new long[] {NodeSettings.AUTO, 1 << 20, 0}) {
        withProperty(
            backend,
            () -> {
              IllegalArgumentException e =
                  assertThrows(IllegalArgumentException.class, () -> node(size, "channel"));
              Messages.assertNames(e.getMessage(), backend, "-Ddev.pread.backend");
              assertFalse(e.getMessage().contains(NodeSettings.CACHE_SIZE.name()), e.getMessage());
            });
      }
    }
  }

  private static void withProperty(String backend, Runnable test) {
    String before = System.setProperty("dev.pread.backend", backend);
    try {
      test.run();
    } finally {
      if (before == null) {
        System.clearProperty("dev.pread.backend");
      } else {
        System.setProperty("dev.pread.backend", before);
      }
    }
  }

  /** Less than a block, or more than the machine has. */
  @ParameterizedTest
  @ValueSource(longs = {1, 4095, 1L << 62})
  void refusesASizeThatTheLibraryDoes(long size) {
    String message =
        assertThrows(IllegalArgumentException.class, () -> node(size, "channel")).getMessage();
    Messages.assertNames(
        message, "[" + size + "]", NodeSettings.CACHE_SIZE.name(), "auto", 0, 4096);
    assertEquals(List.of(), infos);
  }

  @Test
  void aCacheWithoutASizeHasNoMoreThanItMayHave() throws IOException {
    long max = 9 << 20;
    try (NodeDirectories node = node(NodeSettings.AUTO, max, "channel")) {
      assertEquals(max, node.stats().cache().sizeBytes());
    }
  }

  @Test
  void refusesABoundOfLessThanABlock() {
    String message =
        assertThrows(IllegalArgumentException.class, () -> node(NodeSettings.AUTO, 4095, "channel"))
            .getMessage();
    Messages.assertNames(message, "[4095]", "[" + NodeSettings.CACHE_MAX.name() + "]", "none");
    Messages.assertNames(message, 4096);
    assertEquals(List.of(), infos);
  }

  @Test
  void directoriesOutliveIt() throws IOException {
    NodeDirectories node = node("channel");
    try (Directory buffered = open(node, StoreType.PREAD)) {
      node.close();
      writeAndRead(buffered);
    }
  }
}
