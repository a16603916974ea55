/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.posix.Backend;
import dev.pread.posix.FaultSystemCalls;
import dev.pread.posix.FaultSystemCalls.Function;
import dev.pread.store.CacheTrace;
import dev.pread.store.PreadIndexInput;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.LongAdder;
import java.util.logging.Filter;
import java.util.logging.Logger;
import java.util.stream.IntStream;
import org.apache.lucene.store.FSLockFactory;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** What users see of the cache: its arguments, its figures, its end. */
class BlockCacheTest {

  private static final int BLOCK = 4096;
  private static final long MIB = 1 << 20;

  @TempDir Path folder;

  private final FaultSystemCalls faults = Fixtures.faults();
  private final Backend backend = new Backend(faults);

  @AfterEach
  void nothingStaysOpen() throws IOException {
    assertEquals(0, backend.openFiles());
    assertEquals(0, Fixtures.descriptorsIn(folder));
  }

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
    long memory = MemoryLimit.bytes();
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
    try (BlockCache cache = new BlockCache(MemoryLimit.bytes(), 65536)) {
      assertEquals(0, cache.stats().blocks());
      assertEquals(MemoryLimit.bytes() / 65536, cache.stats().capacity());
    }
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
        CacheSizes.defaultSize(MemoryLimit.bytes(), Runtime.getRuntime().maxMemory()) & -MIB;
    try (BlockCache cache = new BlockCache();
        BlockCache smaller = BlockCache.builder().max(size - MIB).build();
        BlockCache larger = BlockCache.builder().min(size + 2 * MIB).build()) {
      assertEquals(size, cache.size() & -MIB);
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
    Logger logger = Logger.getLogger(BlockCache.class.getName());
    List<String> warnings = new ArrayList<>();
    Filter filter = logger.getFilter();
    logger.setFilter(
        logged -> {
          warnings.add(logged.getLevel() + ": " + logged.getMessage());
          return false;
        });
    try (BlockCache cache = BlockCache.builder().min(1L << 60).build();
        BlockCache ample = BlockCache.builder().min(2 * MIB).build()) {
      assertTrue(cache.size() <= MemoryLimit.bytes(), cache.toString());
      assertTrue(ample.size() >= 2 * MIB);
      assertEquals(1, warnings.size(), warnings.toString());
      Fixtures.assertNames(warnings.get(0), "WARNING", "BlockCache.min", 1L << 60);
    } finally {
      logger.setFilter(filter);
    }
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

  // ---- figures ----

  private byte[] write(String name, int length) throws IOException {
    byte[] data = Fixtures.randomBytes(Fixtures.SEED + length, length);
    Files.write(folder.resolve(name), data);
    return data;
  }

  private static void read(PreadDirectory directory, String name, byte[] data) throws IOException {
    try (IndexInput input = directory.openInput(name, IOContext.DEFAULT)) {
      read(input, data);
    }
  }

  private static void read(IndexInput input, byte[] data) throws IOException {
    byte[] read = new byte[data.length];
    input.seek(0);
    input.readBytes(read, 0, read.length);
    assertArrayEquals(data, read);
  }

  private static void touch(IndexInput input, int... blocks) throws IOException {
    for (int block : blocks) {
      input.seek((long) block * BLOCK + 3);
      input.readByte();
    }
  }

  /** Returns all figures that are not 0, but for those of the memory. */
  private static Map<String, Long> figures(BlockCache cache) {
    Map<String, Long> figures = new TreeMap<>(cache.stats().toMap());
    figures.values().removeIf(figure -> figure == 0);
    figures.keySet().removeAll(List.of("capacity", "size_bytes", "memory_bytes"));
    return figures;
  }

  @Test
  void figuresAfterAKnownSequence() throws IOException {
    write("f", 10 * BLOCK + 100);
    write("small", 50);
    try (BlockCache cache = Fixtures.tinyCache(4, 12);
        PreadDirectory directory =
            Fixtures.directory(folder, PreadConfig.DEFAULT, cache, backend)) {
      assertEquals(Map.of(), figures(cache));
      assertEquals(4, cache.stats().capacity());
      assertEquals(4 * BLOCK, cache.stats().sizeBytes());
      assertEquals(0, cache.stats().memoryBytes());
      assertTrue(Double.isNaN(cache.stats().hitRatio()), "of no look-up");
      try (IndexInput small = directory.openInput("small", IOContext.DEFAULT)) {
        assertEquals(Map.of(), figures(cache));
        small.readByte();
        assertEquals(
            Map.of("misses", 1L, "loads", 1L, "blocks_read", 1L, "bytes_read", 50L, "blocks", 1L),
            figures(cache));
        assertEquals(0.25, cache.stats().occupancy());
        assertEquals(4 * BLOCK, cache.stats().memoryBytes(), "all of a page");
        try (IndexInput input = directory.openInput("f", IOContext.DEFAULT)) {
          // While there is room it reads around the block: 8, 9, and 10, which is a short one.
          touch(input, 10);
          long bytes = 50 + 2 * BLOCK + 100;
          assertEquals(
              Map.of(
                  "misses", 2L, "loads", 2L, "blocks_read", 4L, "bytes_read", bytes, "blocks", 4L),
              figures(cache));
          assertEquals(1, cache.stats().occupancy());
          touch(input, 9, 8, 10);
          assertEquals(1, cache.stats().hits(), "the three lie in one piece");
          assertEquals(2, cache.stats().misses());
          // Now each block that comes takes the place of one that goes.
          touch(input, 1, 2, 3, 4, 5);
          bytes += 5 * BLOCK;
          assertEquals(
              Map.of(
                  "hits", 1L,
                  "misses", 7L,
                  "loads", 7L,
                  "blocks_read", 9L,
                  "bytes_read", bytes,
                  "evictions", 5L,
                  "blocks", 4L),
              figures(cache));
          assertEquals(1 / 8.0, cache.stats().hitRatio());
          assertEquals(7, faults.count(Function.PREADV));
        }
      }
      assertEquals(0, cache.stats().blocks());
      assertEquals(5, cache.stats().evictions(), "what is closed leaves, which is no eviction");
    }
  }

  /** Each reader of a file that lies in one piece looks it up once. */
  @Test
  void readersThatNeverLiveLongAreCountedToo() throws IOException {
    write("f", 2 * BLOCK);
    try (BlockCache cache = new BlockCache(1 << 20, BLOCK);
        PreadDirectory directory = Fixtures.directory(folder, PreadConfig.DEFAULT, cache, backend);
        IndexInput input = directory.openInput("f", IOContext.DEFAULT)) {
      touch(input, 0);
      assertEquals(0, cache.stats().hits());
      for (int i = 1; i <= 200; i++) {
        touch(input.clone(), 0);
        assertEquals(i, cache.stats().hits());
      }
      assertEquals(1, cache.stats().misses());
    }
  }

  /**
   * Threads read at random by clones of one read each, which is one look-up, and write down before
   * each read whether the block was there.
   */
  @Test
  void figuresAgreeWithATrace() throws Exception {
    int blocks = 100;
    int threads = 8;
    int readsPerThread = 5000;
    write("f", blocks * BLOCK);
    LongAdder there = new LongAdder();
    try (BlockCache cache = Fixtures.tinyCache(40, 12);
        PreadDirectory directory = Fixtures.directory(folder, PreadConfig.DEFAULT, cache, backend);
        PreadIndexInput input = (PreadIndexInput) directory.openInput("f", IOContext.DEFAULT)) {
      // This fills it, so that from now on no read brings a neighbour in.
      touch(input, IntStream.range(0, blocks).toArray());
      CacheStats before = cache.stats();
      Fixtures.inThreads(
          threads,
          thread -> {
            Random random = new Random(Fixtures.SEED + thread);
            for (int i = 0; i < readsPerThread; i++) {
              int block = random.nextInt(blocks) * random.nextInt(blocks) / blocks;
              if (CacheTrace.isCached(input, (long) block * BLOCK)) {
                there.increment();
              }
              touch(input.clone(), block);
            }
          });
      CacheStats after = cache.stats();
      long reads = (long) threads * readsPerThread;
      long hits = after.hits() - before.hits();
      long misses = after.misses() - before.misses();
      long answered =
          after.loads() - before.loads() + after.waits() - before.waits() + after.bypasses();
      String figures = hits + " hits, " + misses + " misses of " + reads + ", " + there + " there";
      long two = reads * 2 / 100;
      assertTrue(Math.abs(reads - hits - misses) <= two, figures);
      assertTrue(Math.abs(there.sum() - hits) <= two, figures);
      assertTrue(Math.abs(misses - answered) <= two, figures + ", answered " + answered);
      assertTrue(hits > reads / 4 && misses > reads / 4, figures);
    }
  }

  @Test
  void waitsAreOfThreadsThatFoundABlockBeingRead() throws Exception {
    write("f", BLOCK);
    try (BlockCache cache = Fixtures.tinyCache(4, 12);
        PreadDirectory directory = Fixtures.directory(folder, PreadConfig.DEFAULT, cache, backend);
        IndexInput input = directory.openInput("f", IOContext.DEFAULT)) {
      CountDownLatch begun = new CountDownLatch(1);
      faults
          .on(Function.PREADV)
          .at(1)
          .first(
              () -> {
                begun.countDown();
                awaitWaits(cache, 2);
              });
      List<IndexInput> clones = List.of(input.clone(), input.clone(), input.clone());
      Fixtures.inThreads(
          3,
          thread -> {
            if (thread > 0) {
              Fixtures.await(begun);
            }
            touch(clones.get(thread), 0);
          });
      assertEquals(
          Map.of(
              "misses", 3L,
              "loads", 1L,
              "waits", 2L,
              "blocks_read", 1L,
              "bytes_read", (long) BLOCK,
              "blocks", 1L),
          figures(cache));
    }
  }

  private static void awaitWaits(BlockCache cache, int count) {
    Fixtures.awaitCount(() -> cache.stats().waits(), count);
  }

  /** The only slot is being filled when another block is asked for. */
  @Test
  void bypassesAreOfThoseWhoFoundNoRoom() throws Exception {
    write("f", 2 * BLOCK);
    try (BlockCache cache = Fixtures.tinyCache(1, 12);
        PreadDirectory directory = Fixtures.directory(folder, PreadConfig.DEFAULT, cache, backend);
        IndexInput input = directory.openInput("f", IOContext.DEFAULT)) {
      IndexInput other = input.clone();
      faults
          .on(Function.PREADV)
          .at(1)
          .first(
              () -> {
                try {
                  touch(other, 1);
                } catch (IOException e) {
                  throw new AssertionError(e);
                }
              });
      touch(input, 0);
      assertEquals(
          Map.of(
              "misses", 2L,
              "loads", 1L,
              "bypasses", 1L,
              "blocks_read", 1L,
              "bytes_read", (long) BLOCK,
              "blocks", 1L),
          figures(cache));
      assertEquals(1, faults.count(Function.PREAD));
    }
  }
}
