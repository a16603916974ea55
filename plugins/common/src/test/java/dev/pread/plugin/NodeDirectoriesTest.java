/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.plugin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FSLockFactory;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.apache.lucene.store.IndexOutput;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** On the backend {@code channel}, which has no direct I/O: the only one that is there. */
class NodeDirectoriesTest {

  private static final OpenRules RULES = new OpenRules(Set.of("*"), Set.of(), Set.of());

  @TempDir Path folder;

  private final List<String> infos = new ArrayList<>();
  private final List<String> warnings = new ArrayList<>();

  private NodeDirectories node(boolean cacheIsSized, String backend) {
    return new NodeDirectories(
        new NodeSettings(1 << 20, cacheIsSized, 4 << 10, backend),
        new CacheSize(4L << 30, 1L << 30, MebiBytes.SIZES),
        infos::add,
        warnings::add);
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
    try (NodeDirectories node = node(true, "channel")) {
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

  @Test
  void tellsWhatItHas() throws IOException {
    try (NodeDirectories node = node(true, "channel")) {
      NodeStats before = node.stats();
      assertEquals("channel", before.backend());
      assertEquals(1 << 20, before.cacheSize());
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
  void saysWhereTheMemoryGoes() {
    node(true, "channel").close();
    assertEquals(
        List.of(
            "pread: block cache of [1mb] in blocks of [4kb], backend [channel]; of a memory limit of"
                + " [4096mb] the heap [1024mb] and the cache leave [3071mb] to the JVM itself and"
                + " the page cache; [512mb] or more are advised"),
        infos);
  }

  @Test
  void advisesOnceWhereNobodySizedTheCache() throws IOException {
    try (NodeDirectories node = node(false, "channel")) {
      open(node, StoreType.PREAD).close();
      assertEquals(List.of(), warnings);
      open(node, StoreType.PREAD_DIRECT).close();
      open(node, StoreType.PREAD_DIRECT).close();
      assertEquals(1, warnings.size());
      assertTrue(warnings.get(0).contains("pread.cache.size is not set: it is [1mb]"));
    }
    try (NodeDirectories node = node(true, "channel")) {
      open(node, StoreType.PREAD_DIRECT).close();
      assertEquals(1, warnings.size());
    }
  }

  @Test
  void refusesABackendThatIsNotThere() {
    String message =
        assertThrows(IllegalArgumentException.class, () -> node(true, "ffm")).getMessage();
    assertTrue(
        message.startsWith(
            "failed to parse value [ffm] for setting [pread.backend]: backend ffm is not available"),
        message);
    assertTrue(message.endsWith("; auto takes the best there is"), message);
  }

  @Test
  void directoriesOutliveIt() throws IOException {
    NodeDirectories node = node(true, "channel");
    try (Directory buffered = open(node, StoreType.PREAD)) {
      node.close();
      writeAndRead(buffered);
    }
  }
}
