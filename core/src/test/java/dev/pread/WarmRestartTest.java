/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Arrays;
import java.util.Map;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FSLockFactory;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A cache that finds what the one before it had. It is skipped on the {@code channel} backend,
 * which knows no file again.
 */
@Timeout(120)
class WarmRestartTest {

  private static final int BLOCK = BlockCache.DEFAULT_BLOCK_SIZE;
  private static final int LENGTH = 200 * BLOCK + 77;
  private static final long SIZE = 16 << 20;

  @TempDir Path folder;

  private final byte[] data = Fixtures.randomBytes(Fixtures.SEED, LENGTH);
  private Path index;
  private Path lists;

  @BeforeEach
  void write() throws IOException {
    Fixtures.nativeCalls();
    index = Files.createDirectory(folder.resolve("index"));
    lists = folder.resolve("lists");
    Files.write(index.resolve("f"), data);
  }

  @AfterEach
  @Timeout(60)
  void nothingStaysOpen() throws Exception {
    // A read in the background that a close has met keeps the descriptor until it ends.
    while (Fixtures.descriptorsIn(folder) > 0) {
      Thread.sleep(1);
    }
  }

  private BlockCache cache() {
    return BlockCache.builder().size(SIZE).hotList(lists).build();
  }

  private Directory directory(BlockCache cache) throws IOException {
    PreadConfig config = PreadConfig.builder().cache(cache).build();
    return new PreadDirectory(index, FSLockFactory.getDefault(), config);
  }

  private static void check(IndexInput input, byte[] expected, int from, int to)
      throws IOException {
    byte[] bytes = new byte[to - from];
    input.seek(from);
    input.readBytes(bytes, 0, bytes.length);
    assertEquals(-1, Arrays.mismatch(bytes, Arrays.copyOfRange(expected, from, to)));
  }

  /** Reads two places of the file, and returns how many blocks the cache had when it was closed. */
  private long use() throws IOException {
    BlockCache cache = cache();
    // A server closes its directories first, and their files before.
    try (Directory directory = directory(cache);
        IndexInput input = directory.openInput("f", IOContext.DEFAULT)) {
      check(input, data, 3 * BLOCK, 9 * BLOCK);
      check(input, data, 150 * BLOCK, 160 * BLOCK);
      check(input, data, LENGTH - 5, LENGTH);
      return cache.stats().blocks();
    } finally {
      cache.close();
    }
  }

  private static void await(BlockCache cache, long restored) {
    Fixtures.awaitCount(() -> cache.stats().blocksRestored(), (int) restored);
    assertEquals(restored, cache.stats().blocksRestored());
  }

  @Test
  void whatWasThereIsThereAgain() throws IOException {
    long had = use();
    assertTrue(had > 16 && had < 100, "it reads around what is read: " + had);
    for (int restarts = 0; restarts < 2; restarts++) {
      try (BlockCache cache = cache();
          Directory directory = directory(cache);
          IndexInput input = directory.openInput("f", IOContext.DEFAULT)) {
        await(cache, had);
        assertEquals(0, cache.stats().misses());
        assertEquals(0, cache.stats().evictions());
        check(input, data, 3 * BLOCK, 9 * BLOCK);
        check(input, data, 150 * BLOCK, 160 * BLOCK);
        check(input, data, LENGTH - 5, LENGTH);
        assertEquals(0, cache.stats().misses());
        assertEquals(had, cache.stats().blocks());
      }
    }
  }

  @Test
  void anElasticCacheFindsItsBlocksPastThePageCache() throws IOException {
    long had = use();
    try (BlockCache cache = BlockCache.builder().hotList(lists).build();
        Directory directory =
            new DirectPreadDirectory(
                index, FSLockFactory.getDefault(), PreadConfig.builder().cache(cache).build());
        IndexInput input = directory.openInput("f", IOContext.DEFAULT)) {
      await(cache, had);
      check(input, data, 0, LENGTH);
    }
  }

  @Test
  void blocksComeInWhileTheFileIsRead() throws IOException {
    use();
    try (BlockCache cache = cache();
        Directory directory = directory(cache);
        IndexInput input = directory.openInput("f", IOContext.DEFAULT)) {
      check(input, data, 0, LENGTH);
    }
  }

  @Test
  void anOpenToReadOnceLeavesItToTheNext() throws IOException {
    long had = use();
    try (BlockCache cache = cache();
        Directory directory = directory(cache)) {
      for (IOContext once : new IOContext[] {IOContext.READONCE, Fixtures.MERGE}) {
        try (IndexInput input = directory.openInput("f", once)) {
          check(input, data, 0, 100);
        }
      }
      assertEquals(0, cache.stats().blocksRestored());
      try (IndexInput input = directory.openInput("f", IOContext.DEFAULT)) {
        await(cache, had);
        check(input, data, 0, 100);
      }
    }
  }

  @Test
  void anotherFileOfThatNameAndLengthHasItsOwnBytes() throws IOException {
    use();
    FileTime written = Files.getLastModifiedTime(index.resolve("f"));
    byte[] other = Fixtures.randomBytes(Fixtures.SEED + 1, LENGTH);
    Files.delete(index.resolve("f"));
    Files.write(index.resolve("f"), other);
    Files.setLastModifiedTime(index.resolve("f"), FileTime.fromMillis(written.toMillis() + 5));
    try (BlockCache cache = cache();
        Directory directory = directory(cache);
        IndexInput input = directory.openInput("f", IOContext.DEFAULT)) {
      check(input, other, 0, LENGTH);
      assertEquals(0, cache.stats().blocksRestored(), "it was written at another time");
    }
    // What is known now is of the other file. One that can't be told from it is read for nothing.
    written = Files.getLastModifiedTime(index.resolve("f"));
    Files.delete(index.resolve("f"));
    Files.write(index.resolve("f"), data);
    Files.setLastModifiedTime(index.resolve("f"), written);
    try (BlockCache cache = cache();
        Directory directory = directory(cache);
        IndexInput input = directory.openInput("f", IOContext.DEFAULT)) {
      await(cache, LENGTH / BLOCK + 1);
      check(input, data, 0, LENGTH);
    }
  }

  @Test
  void deletedFilesAreNotListed() throws IOException {
    try (BlockCache cache = cache();
        Directory directory = directory(cache)) {
      try (IndexInput input = directory.openInput("f", IOContext.DEFAULT)) {
        check(input, data, 0, 100);
      }
      directory.deleteFile("f");
    }
    assertFalse(list().contains(index.toString()), list());
  }

  private String list() throws IOException {
    return new String(Files.readAllBytes(lists.resolve("hot-blocks")), StandardCharsets.ISO_8859_1);
  }

  @Test
  void filesThatAreOpenWhenTheCacheIsClosedAreListed() throws IOException {
    BlockCache cache = cache();
    try (Directory directory = directory(cache);
        IndexInput input = directory.openInput("f", IOContext.DEFAULT)) {
      check(input, data, 0, 100);
      cache.close();
      assertTrue(list().contains(index.resolve("f").toRealPath().toString()), list());
      check(input, data, 0, LENGTH);
    }
    cache.close();
    assertTrue(list().contains(index.resolve("f").toString()), list());
  }

  @Test
  void aListThatIsBrokenCostsNothingButTime() throws IOException {
    use();
    byte[] bytes = Files.readAllBytes(lists.resolve("hot-blocks"));
    for (int i = 0; i < bytes.length; i += 1 + bytes.length / 20) {
      byte[] broken = bytes.clone();
      broken[i] ^= 1;
      Files.write(lists.resolve("hot-blocks"), broken);
      try (BlockCache cache = cache();
          Directory directory = directory(cache);
          IndexInput input = directory.openInput("f", IOContext.DEFAULT)) {
        check(input, data, 0, LENGTH);
        assertEquals(0, cache.stats().blocksRestored());
      }
    }
  }

  @Test
  void onlyTheFirstOfTwoCachesHasTheFolder() throws IOException {
    long had = use();
    try (BlockCache first = cache();
        BlockCache second = cache();
        Directory directory = directory(second)) {
      try (IndexInput input = directory.openInput("f", IOContext.DEFAULT)) {
        check(input, data, 0, LENGTH);
        assertEquals(0, second.stats().blocksRestored());
      }
      try (Directory its = directory(first);
          IndexInput input = its.openInput("f", IOContext.DEFAULT)) {
        await(first, had);
        check(input, data, 0, 100);
      }
    }
  }

  @Test
  void withoutAFolderNothingIsWritten() throws IOException {
    try (BlockCache cache = BlockCache.builder().size(SIZE).build();
        Directory directory = directory(cache);
        IndexInput input = directory.openInput("f", IOContext.DEFAULT)) {
      check(input, data, 0, 100);
    }
    assertFalse(Files.exists(lists));
  }

  @Test
  void theFolderIsOfTheDefaultFileSystem() throws IOException {
    URI zip = URI.create("jar:" + folder.resolve("z.zip").toUri());
    try (FileSystem other = FileSystems.newFileSystem(zip, Map.of("create", "true"))) {
      IllegalArgumentException refused =
          assertThrows(
              IllegalArgumentException.class,
              () -> BlockCache.builder().hotList(other.getPath("/lists")));
      Fixtures.assertNames(refused, other.getPath("/lists"));
    }
  }

  @Test
  void aBuilderMakesCachesOfAFixedSize() throws IOException {
    try (BlockCache none = BlockCache.builder().size(0).hotList(lists).build();
        BlockCache fixed = BlockCache.builder().size(SIZE).blockSize(4096).build()) {
      assertEquals(0, none.size());
      assertFalse(Files.exists(lists));
      assertEquals(SIZE, fixed.size());
      assertEquals(4096, fixed.blockSize());
      assertFalse(fixed.isElastic());
    }
    for (long bytes : new long[] {1, BLOCK - 1, Long.MAX_VALUE}) {
      IllegalArgumentException refused =
          assertThrows(
              IllegalArgumentException.class, () -> BlockCache.builder().size(bytes).build());
      assertTrue(refused.getMessage().startsWith("BlockCache.size is " + bytes + ": use 0 for"));
    }
    assertEquals(
        "BlockCache.size is -1: use 0 or more bytes",
        assertThrows(IllegalArgumentException.class, () -> BlockCache.builder().size(-1))
            .getMessage());
  }
}
