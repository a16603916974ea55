/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.posix.Backend;
import dev.pread.posix.Errno;
import dev.pread.posix.OpenMode;
import dev.pread.posix.ScriptedCalls;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What reads ahead past the page cache is said as it is, by directories, caches and figures. */
@Timeout(120)
class ReadAheadEngineTest {

  private static final int BLOCK = 4 << 10;
  private static final int BLOCKS = 200;

  @TempDir Path folder;

  private final AtomicInteger queues = new AtomicInteger();

  /** How many queues the system has. */
  private int mostQueues = Integer.MAX_VALUE;

  private boolean refusesDirect;

  private final Backend backend =
      new Backend(ScriptedCalls.of(Fixtures.nativeCalls(), this::refuse));

  private BlockCache cache = BlockCache.builder().size(64 * BLOCK).blockSize(BLOCK).build();

  @BeforeEach
  void write() throws IOException {
    Path file =
        Files.write(folder.resolve("f"), Fixtures.randomBytes(Fixtures.SEED, BLOCKS * BLOCK));
    Fixtures.assumeDirectIo(file);
    Assumptions.assumeTrue(
        new Backend(Fixtures.nativeCalls()).readAheadEngine().equals("aio"),
        "no asynchronous reads here");
  }

  private Object refuse(String call, Object[] arguments) {
    if (call.equals("ioSetup") && queues.getAndIncrement() >= mostQueues) {
      return (long) -Errno.EAGAIN;
    }
    boolean isDirect = call.equals("open") && OpenMode.READ_DIRECT.equals(arguments[1]);
    return isDirect && refusesDirect ? -Errno.EINVAL : null;
  }

  @AfterEach
  void close() throws IOException {
    cache.close();
    assertEquals(0, backend.openFiles());
  }

  private DirectPreadDirectory direct() throws IOException {
    return Fixtures.direct(folder, PreadConfig.DEFAULT, cache, backend);
  }

  private void announce(Directory directory, String name, int first) throws IOException {
    try (IndexInput input = directory.openInput(name, IOContext.DEFAULT)) {
      for (int block = first; block < first + 50; block += 10) {
        LuceneCalls.prefetch(input, (long) block * BLOCK, 1);
      }
      for (int block = first; block < first + 50; block += 10) {
        input.seek((long) block * BLOCK);
        byte ignored = input.readByte();
      }
    }
  }

  private void assertSays(String said, Directory directory) {
    assertTrue(directory.toString().endsWith(said), directory.toString());
  }

  private void assertEngine(String engine, int depth) {
    assertEquals(engine, cache.stats().prefetchEngine());
    assertEquals(
        "BlockCache(size="
            + cache.size()
            + ", blockSize=4096, queueDepth="
            + depth
            + ", prefetch="
            + engine
            + ")",
        cache.toString());
  }

  @Test
  void itIsKnownBeforeAnythingIsAnnounced() throws IOException {
    try (Directory directory = direct()) {
      assertEngine("none", 128);
      assertSays(" O_DIRECT queueDepth=128 prefetch=aio", directory);
      assertEquals(1, queues.get());
      announce(directory, "f", 0);
      assertEngine("aio", 128);
      assertSays(" O_DIRECT queueDepth=128 prefetch=aio", directory);
      assertEquals(0, cache.stats().prefetchesByThreads());
    }
  }

  /** The threads that would have had a queue of their own share the others. */
  @Test
  void aFurtherQueueThatIsRefusedChangesNothing() throws Exception {
    mostQueues = 1;
    try (Directory directory = direct()) {
      announce(directory, "f", 0);
      for (int i = 0; i < 100 && queues.get() == 1; i++) {
        Fixtures.inThreads(1, thread -> announce(directory, "f", 100));
      }
      assertTrue(queues.get() > 1, "none was asked for");
      assertEquals(1, cache.stats().prefetchQueues());
      assertEngine("aio", 128);
      assertSays(" O_DIRECT queueDepth=128 prefetch=aio", directory);
      assertEquals(0, cache.stats().prefetchesByThreads());
    }
  }

  /** Another cache may have had a queue before, which is no help to this one. */
  @Test
  void whereAllQueuesAreRefusedItIsThreads() throws IOException {
    mostQueues = 1;
    try (Directory directory = direct()) {
      announce(directory, "f", 0);
    }
    cache.close();
    cache = BlockCache.builder().size(64 * BLOCK).blockSize(BLOCK).build();
    try (Directory directory = direct()) {
      announce(directory, "f", 0);
      assertEngine("threads", 128);
      assertSays(" O_DIRECT prefetch=threads", directory);
      assertTrue(cache.stats().prefetchesByThreads() > 0);
      assertEquals(0, cache.stats().prefetchQueues());
    }
  }

  @Test
  void aCacheThatWantsNoQueueSaysSo() throws IOException {
    cache.close();
    cache = BlockCache.builder().size(64 * BLOCK).blockSize(BLOCK).queueDepth(0).build();
    try (Directory directory = direct()) {
      assertSays(" O_DIRECT prefetch=threads", directory);
      announce(directory, "f", 0);
      assertEngine("threads", 0);
      assertEquals(0, queues.get());
    }
  }

  @Test
  void withoutACacheNothingIsReadAhead() throws IOException {
    try (Directory directory =
        Fixtures.direct(folder, PreadConfig.DEFAULT, Fixtures.NO_CACHE, backend)) {
      announce(directory, "f", 0);
      assertSays(" O_DIRECT", directory);
      assertEquals("none", Fixtures.NO_CACHE.stats().prefetchEngine());
      assertEquals(0, queues.get());
    }
  }

  @Test
  void aFileThatUsesThePageCacheDoesNotHideIt() throws IOException {
    Files.copy(folder.resolve("f"), folder.resolve("g"));
    try (Directory directory = direct()) {
      announce(directory, "f", 0);
      refusesDirect = true;
      directory.openInput("g", IOContext.DEFAULT).close();
      assertSays(" O_DIRECT (files use the page cache) queueDepth=128 prefetch=aio", directory);
    }
  }

  @Test
  void whereAllFilesUseThePageCacheTheKernelReadsAhead() throws IOException {
    refusesDirect = true;
    try (Directory directory = direct()) {
      announce(directory, "f", 0);
      assertSays(" O_DIRECT (files use the page cache)", directory);
      assertEngine("none", 128);
      assertEquals(0, queues.get());
    }
  }

  @Test
  void aDirectoryOnThePageCacheSaysWhatReadsPastIt() throws IOException {
    try (Directory directory = Fixtures.directory(folder, PreadConfig.DEFAULT, cache, backend)) {
      announce(directory, "f", 0);
      assertSays(" backend=" + backend.calls().name(), directory);
      assertEngine("none", 128);
      cache.slots().setShortOfMemory(true);
      announce(directory, "f", 100);
      assertEngine("aio", 128);
      assertSays(" backend=" + backend.calls().name() + " queueDepth=128 prefetch=aio", directory);
    }
  }
}
