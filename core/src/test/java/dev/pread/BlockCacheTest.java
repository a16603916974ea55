/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.cache.CacheFixtures.TestSource;
import dev.pread.cache.CachedFile;
import dev.pread.cache.SlotCache;
import dev.pread.posix.Backend;
import dev.pread.posix.FaultSystemCalls.Function;
import dev.pread.posix.ProcessLimits;
import dev.pread.posix.ScriptedCalls;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.lucene.store.FSLockFactory;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** What users see of the cache: its arguments, its bounds, its end. */
class BlockCacheTest extends BlockCacheTestCase {

  private static final long MIB = 1 << 20;

  private static void refuses(String message, Executable use) {
    assertEquals(message, assertThrows(IllegalArgumentException.class, use).getMessage());
  }

  // ---- arguments ----

  @Test
  void blockSizesArePowersOfTwoFrom4To64KiB() {
    for (int size : new int[] {-4096, 0, 1, 512, 2048, 4095, 4097, 12288, 65535, 65537, 131072}) {
      for (long bytes : new long[] {0, 1 << 20}) {
        refuses(
            "BlockCache.blockSize is " + size + ": use a power of two from 4096 to 65536 (bytes)",
            () -> new BlockCache(bytes, size).close());
      }
    }
    refuses(
        "BlockCache.blockSize is -2147483648: use a power of two from 4096 to 65536 (bytes)",
        () -> new BlockCache(1 << 20, Integer.MIN_VALUE).close());
    for (int size = 4096; size <= 65536; size *= 2) {
      try (BlockCache cache = new BlockCache(1 << 20, size)) {
        assertEquals(size, cache.blockSize());
        assertEquals((1 << 20) / size, cache.stats().capacity());
      }
    }
  }

  @Test
  void sizesAreNoneOrFromABlockToTheMemory() {
    long memory = ProcessLimits.memory();
    for (int blockSize : new int[] {4096, 65536}) {
      for (long size :
          new long[] {Long.MIN_VALUE, -1, 1, blockSize - 1, memory + 1, Long.MAX_VALUE}) {
        refuses(
            "BlockCache.size is "
                + size
                + ": use 0 for no cache, or from "
                + blockSize
                + " (one block) to "
                + memory
                + " bytes, the memory this process may use; the heap (-Xmx) needs its part of it",
            () -> new BlockCache(size, blockSize).close());
      }
      try (BlockCache one = new BlockCache(blockSize, blockSize);
          BlockCache oneAndABit = new BlockCache(2L * blockSize - 1, blockSize)) {
        assertEquals(1, one.stats().capacity());
        assertEquals(1, oneAndABit.stats().capacity());
        assertEquals(2L * blockSize - 1, oneAndABit.size());
      }
    }
    refuses(
        "BlockCache.size is 16383: use 0 for no cache, or from 16384 (one block) to "
            + memory
            + " bytes, the memory this process may use; the heap (-Xmx) needs its part of it",
        () -> new BlockCache(16383).close());
  }

  /** One that is as large as memory asks the system for none of it before it is needed. */
  @Test
  void memoryIsAskedForWhenItIsNeeded() {
    try (BlockCache cache = new BlockCache(ProcessLimits.memory(), 65536)) {
      assertEquals(0, cache.stats().blocks());
      assertEquals(ProcessLimits.memory() / 65536, cache.stats().capacity());
    }
  }

  /** Where there are no huge pages, memory would come block by block, as if others took it. */
  @Test
  void theBackendIsAskedForWholePages() throws IOException {
    AtomicLong populated = new AtomicLong();
    Backend counting =
        new Backend(
            ScriptedCalls.of(
                backend.calls(),
                (name, arguments) -> {
                  if (name.equals("populate")) {
                    populated.addAndGet(((ByteBuffer) arguments[0]).capacity());
                  }
                  return null;
                }));
    SlotCache cache = new SlotCache(8 * MIB, 14, new BackendMemory(counting));
    TestSource source = new TestSource(1, 3 * MIB);
    CachedFile file = cache.files().open(null, "f", 3 * MIB);
    file.loadRange(0, 3 << 20, source);
    assertEquals(4 * MIB, populated.get());
    assertEquals(4 * MIB, cache.bytesBacked());
    file.close();
    cache.close();
  }

  @Test
  void aCacheOfNoSizeIsNone() throws IOException {
    byte[] data = write("f", 10 * BLOCK);
    BlockCache none = new BlockCache(0);
    try (PreadDirectory directory =
        Fixtures.directory(folder, PreadConfig.DEFAULT, none, backend)) {
      read(directory, "f", data);
      none.close();
      assertFalse(none.isClosed(), "there is nothing to close");
      read(directory, "f", data);
      assertEquals(Map.of(), figures(none));
      assertEquals(1, none.stats().occupancy());
      assertTrue(Double.isNaN(none.stats().hitRatio()));
      Map<String, Long> unknown = Collections.singletonMap("hits", null);
      assertThrows(NullPointerException.class, () -> CacheStats.of(unknown));
      assertEquals("BlockCache(size=0, blockSize=0)", none.toString());
    }
    assertEquals(0, faults.count(Function.PREADV));
  }

  // ---- elastic ones ----

  /** Makes a cache that is elastic; aborts where there is none. */
  private static BlockCache elastic(BlockCache.Builder builder) {
    BlockCache cache = builder.build();
    boolean isElastic = cache.isElastic();
    if (!isElastic) {
      cache.close();
    }
    assertEquals(Fixtures.backend().calls().mapIsLazy(), isElastic);
    Assumptions.assumeTrue(isElastic, "memory can't be given back");
    return cache;
  }

  @Test
  void withoutASizeItIsElasticWhereMemoryCanBeGivenBack() {
    try (BlockCache cache = new BlockCache();
        BlockCache built = BlockCache.builder().build()) {
      for (BlockCache made : List.of(cache, built)) {
        assertEquals(Fixtures.backend().calls().mapIsLazy(), made.isElastic());
        assertEquals(BlockCache.DEFAULT_BLOCK_SIZE, made.blockSize());
        assertTrue(made.size() >= 8 * MIB, made.toString());
        assertEquals(made.isElastic(), made.toString().contains("elastic"), made.toString());
        assertEquals(made.isElastic(), made.stats().memoryLimitBytes() > 0);
      }
    }
  }

  @Test
  void whereItCantBeElasticItHasTheDefaultSizeWithinItsBounds() {
    Assumptions.assumeFalse(Fixtures.backend().calls().mapIsLazy(), "it can be elastic");
    long size =
        CacheSizes.defaultSize(
                ProcessLimits.memory(),
                Runtime.getRuntime().maxMemory(),
                ProcessLimits.directMemory())
            & -2 * MIB;
    try (BlockCache cache = new BlockCache();
        BlockCache smaller = BlockCache.builder().max(size - MIB).build();
        BlockCache larger = BlockCache.builder().min(size + 2 * MIB).build()) {
      assertEquals(size, cache.size() & -2 * MIB);
      assertEquals(size - MIB, smaller.size());
      assertEquals(size + 2 * MIB, larger.size() & -2 * MIB);
    }
  }

  @Test
  void anElasticOneStaysWithinItsBounds() {
    try (BlockCache cache =
        elastic(BlockCache.builder().min(3 * MIB).max(10 * MIB).blockSize(BLOCK))) {
      // It is a whole number of pages that can be given back.
      assertTrue(cache.size() >= 4 * MIB && cache.size() <= 10 * MIB, cache.toString());
      assertEquals(cache.size() / BLOCK, cache.stats().capacity());
      assertEquals(cache.size(), cache.stats().sizeBytes());
      assertEquals(10 * MIB, cache.slots().size(), "what it may ever have");
    }
    try (BlockCache fixed = elastic(BlockCache.builder().min(6 * MIB).max(6 * MIB))) {
      assertEquals(6 * MIB, fixed.size());
    }
    try (BlockCache none = elastic(BlockCache.builder().min(0))) {
      assertTrue(none.size() >= 2 * MIB, none.toString());
    }
  }

  /** A maximum alone is enough, however small: nobody has to know what the minimum is. */
  @Test
  void aMaximumBelowTheDefaultMinimumIsBoth() {
    for (long max : new long[] {16384, 100_000, MIB, 8 * MIB}) {
      try (BlockCache cache = BlockCache.builder().max(max).build()) {
        assertEquals(max & -16384, cache.stats().capacity() * 16384);
      }
    }
  }

  @Test
  void aMaximumOfNothingIsNoCache() {
    try (BlockCache none = BlockCache.builder().max(0).build()) {
      assertFalse(none.isElastic());
      assertEquals("BlockCache(size=0, blockSize=0)", none.toString());
      assertEquals(CacheStats.NONE, none.stats());
    }
  }

  @Test
  void boundsThatCantBeAreRefused() {
    BlockCache.Builder builder = BlockCache.builder();
    refuses("BlockCache.min is -1: use 0 or more bytes", () -> builder.min(-1));
    refuses("BlockCache.max is -4096: use 0 or more bytes", () -> builder.max(-4096));
    refuses(
        "BlockCache.blockSize is 5000: use a power of two from 4096 to 65536 (bytes)",
        () -> builder.blockSize(5000));
    String depths =
        ": use 0 for threads instead of queues, or from 1 to 1024 reads at the same time";
    refuses("BlockCache.queueDepth is -1" + depths, () -> builder.queueDepth(-1));
    refuses("BlockCache.queueDepth is 1025" + depths, () -> builder.queueDepth(1025));
    refuses(
        "BlockCache.max is 16383: use 0 for no cache, or at least 16384 bytes (one block)",
        () -> builder.max(16383).build().close());
    refuses(
        "BlockCache.min is 20000 and exceeds max, which is 16384: use less",
        () -> builder.min(20000).max(16384).build().close());
    refuses(
        "BlockCache.min is 20000 and exceeds max, which is 0: use less",
        () -> builder.min(20000).max(0).build().close());
    // What was refused can be corrected.
    try (BlockCache cache = builder.min(0).max(16384).build()) {
      assertEquals(16384, cache.size());
    }
  }

  /** It is taken as a safe one, and that is said once, with the figure. */
  @Test
  void aMinimumThatTheMemoryDoesNotAllowIsReduced() {
    List<String> logged =
        Fixtures.logged(
            BlockCache.class,
            () -> {
              try (BlockCache cache = BlockCache.builder().min(1L << 60).build();
                  BlockCache ample = BlockCache.builder().min(2 * MIB).build()) {
                assertTrue(cache.size() <= ProcessLimits.memory(), cache.toString());
                assertTrue(ample.size() >= 2 * MIB);
              }
            });
    assertEquals(1, logged.size(), logged.toString());
    Fixtures.assertNames(logged.get(0), "WARNING", "BlockCache.min", 1L << 60);
  }

  /** Otherwise the heap would be full some day, when the cache is. */
  @Test
  void aSizeThatTheHeapIsTooSmallForIsTold() {
    int blockSize = BlockCache.MIN_BLOCK_SIZE;
    long most = CacheSizes.mostForHeap(blockSize);
    long memory = ProcessLimits.memory() - Runtime.getRuntime().maxMemory();
    Assumptions.assumeTrue(most < memory / 2, "there is less memory than that");
    long size = 2 * most;
    List<String> logged =
        Fixtures.logged(
            BlockCache.class,
            () -> {
              new BlockCache(most).close();
              BlockCache.builder().blockSize(blockSize).size(most).build().close();
              BlockCache.builder().blockSize(blockSize).size(size).build().close();
            });
    assertEquals(1, logged.size(), logged.toString());
    long ofHeap = size / blockSize * 80;
    assertTrue(ofHeap > Runtime.getRuntime().maxMemory() / 8);
    Fixtures.assertNames(logged.get(0), "WARNING", size, blockSize, ofHeap, most, "-Xmx");
  }

  /** Otherwise the kernel ends the process some day, when both are full. */
  @Test
  void aSizeThatDoesNotFitBesideTheHeapIsTold() {
    long heap = Runtime.getRuntime().maxMemory();
    List<String> logged =
        Fixtures.logged(
            BlockCache.class,
            () -> {
              CacheSizes.warnOfLargeSize(5 * MIB, heap + 5 * MIB);
              CacheSizes.warnOfLargeSize(5 * MIB + 1, heap + 5 * MIB);
              CacheSizes.warnOfLargeSize(heap, ProcessLimits.UNKNOWN);
              CacheSizes.warnOfLargeSize(0, heap / 2);
            });
    assertEquals(1, logged.size(), logged.toString());
    Fixtures.assertNames(logged.get(0), "WARNING", 5 * MIB + 1, heap, heap + 5 * MIB, "-Xmx");
  }

  @Test
  void aCacheAsLargeAsTheMemoryIsTold() {
    Assumptions.assumeTrue(ProcessLimits.memory() != ProcessLimits.UNKNOWN);
    int blockSize = BlockCache.MAX_BLOCK_SIZE;
    long size = ProcessLimits.memory();
    List<String> logged =
        Fixtures.logged(
            BlockCache.class,
            () -> {
              new BlockCache(size, blockSize).close();
              BlockCache.builder().size(size).blockSize(blockSize).build().close();
            });
    assertEquals(
        2, logged.stream().filter(line -> line.contains("do not fit")).count(), logged.toString());
  }

  @Test
  void aClosedElasticOneKeepsTheSizeItHad() throws IOException {
    byte[] data = write("f", 10 * BLOCK + 5);
    BlockCache cache = elastic(BlockCache.builder().max(16 * MIB).blockSize(BLOCK));
    try (PreadDirectory directory =
        Fixtures.directory(folder, PreadConfig.DEFAULT, cache, backend)) {
      read(directory, "f", data);
      long size = cache.size();
      cache.close();
      assertEquals(0, cache.stats().memoryBytes());
      assertEquals(0, cache.slots().resize(MIB, false), "nothing changes it any more");
      assertEquals(size, cache.size());
      assertEquals(
          "BlockCache(size="
              + size
              + ", elastic, blockSize=4096, queueDepth=128, prefetch=none, closed)",
          cache.toString());
      read(directory, "f", data);
      assertEquals(0, cache.stats().memoryBytes());
    }
  }

  // ---- the end ----

  @Test
  void aClosedCacheIsRefusedByDirectories() {
    BlockCache cache = new BlockCache(1 << 20);
    PreadConfig config = PreadConfig.builder().cache(cache).build();
    cache.close();
    String message =
        "PreadConfig.cache is closed: make a new one, or use new BlockCache(0) for none:"
            + " BlockCache(size=1048576, blockSize=16384, queueDepth=128, prefetch=none, closed)";
    Path path = folder.resolve("new");
    refuses(message, () -> new PreadDirectory(path, FSLockFactory.getDefault(), config).close());
    refuses(
        message, () -> new DirectPreadDirectory(path, FSLockFactory.getDefault(), config).close());
    assertFalse(Files.exists(path), "not made for a directory that is refused");
  }

  @Test
  void directoriesGoOnWithoutACacheThatIsClosedUnderThem() throws IOException {
    byte[] data = write("f", 10 * BLOCK + 5);
    BlockCache cache = Fixtures.tinyCache(4, 12);
    try (PreadDirectory directory =
            Fixtures.directory(folder, PreadConfig.DEFAULT, cache, backend);
        IndexInput input = directory.openInput("f", IOContext.DEFAULT)) {
      read(directory, "f", data);
      read(input, data);
      long loads = cache.stats().loads();
      cache.close();
      cache.close();
      assertTrue(cache.isClosed());
      assertEquals(0, cache.stats().blocks());
      read(input, data);
      read(directory, "f", data);
      assertEquals(loads, cache.stats().loads());
      assertEquals(0, cache.stats().blocks());
    }
  }
}
