/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.BlockCache;
import dev.pread.DirectPreadDirectory;
import dev.pread.Fixtures;
import dev.pread.LuceneCalls;
import dev.pread.PreadConfig;
import dev.pread.posix.Backend;
import dev.pread.posix.ScriptedCalls;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** With direct I/O there is only one place to prefetch into: the block cache. */
@Timeout(60)
class DirectPrefetchTest {
  private static final int LENGTH = 3_000_001;
  private static final int BLOCK = 4096;

  /**
   * The number of blocks, which are so few that no read brings its neighbours in once they are
   * taken.
   */
  private static final int BLOCKS = 64;

  @TempDir Path folder;

  private final byte[] data = Fixtures.randomBytes(Fixtures.SEED, LENGTH);
  private final BlockCache cache = new BlockCache((long) BLOCKS * BLOCK, BLOCK);
  private final Backend backend = new Backend(Fixtures.faults().simulateDirect(512));
  private DirectPreadDirectory directory;
  private IndexInput input;

  @BeforeEach
  void open() throws Exception {
    Files.write(folder.resolve("data"), data);
    directory = Fixtures.direct(folder, PreadConfig.DEFAULT, cache, backend);
    input = directory.openInput("data", IOContext.DEFAULT);
    input.readBytes(new byte[BLOCKS * BLOCK], 0, BLOCKS * BLOCK);
  }

  @AfterEach
  void close() throws Exception {
    input.close();
    directory.close();
    cache.close();
    awaitThat(() -> backend.openFiles() == 0 && Fixtures.descriptorsIn(folder) == 0);
  }

  private interface Condition {
    boolean holds() throws Exception;
  }

  private static void awaitThat(Condition condition) throws Exception {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (!condition.holds()) {
      assertTrue(System.nanoTime() - deadline < 0);
      Thread.sleep(1);
    }
  }

  @Test
  void whatIsPrefetchedIsThereWhenItIsRead() throws Exception {
    IndexInput slice = input.slice("part", 1_000_003, 1_500_000).clone();
    int[] positions = {0, 77_777, 500_000, 1_499_999};
    long before = cache.stats().prefetches();
    long misses = cache.stats().misses();
    for (int position : positions) {
      LuceneCalls.prefetch(slice, position, 1);
    }
    awaitThat(() -> cache.stats().prefetches() == before + positions.length);
    awaitThat(() -> isThere(slice, positions));
    for (int position : positions) {
      slice.seek(position);
      assertEquals(data[1_000_003 + position], slice.readByte());
    }
    assertEquals(misses, cache.stats().misses(), "no read had to wait");
  }

  private static boolean isThere(IndexInput slice, int[] positions) {
    return Arrays.stream(positions).allMatch(at -> CacheTrace.isThere(slice, at));
  }

  @Test
  void whatIsThereIsNotPrefetched() throws Exception {
    input.seek(2_000_000);
    input.readByte();
    long before = cache.stats().prefetches();
    for (int i = 0; i < 100; i++) {
      LuceneCalls.prefetch(input, 2_000_000, 10);
    }
    Fixtures.awaitIdleThreads(cache);
    assertEquals(before, cache.stats().prefetches());
  }

  /** The thread that announces has looked whether the input is open before that was closed. */
  @Test
  void whatIsAnnouncedWhileTheFileIsBeingClosedHoldsNoDescriptor() throws Exception {
    Fixtures.assumeDirectIo(folder.resolve("data"));
    AtomicReference<Runnable> meanwhile = new AtomicReference<>();
    Backend queued =
        new Backend(
            ScriptedCalls.of(
                Fixtures.nativeCalls(),
                (name, arguments) -> {
                  if (!name.equals("ioGetEvents") || !arguments[1].equals(0)) {
                    return null;
                  }
                  Runnable now = meanwhile.getAndSet(null);
                  if (now != null) {
                    now.run();
                  }
                  // No read has ended.
                  return 0;
                }));
    Assumptions.assumeTrue(queued.readAheadEngine().equals("aio"), "no asynchronous reads here");
    try (BlockCache other = new BlockCache((long) BLOCKS * BLOCK, BLOCK);
        DirectPreadDirectory opener = Fixtures.direct(folder, PreadConfig.DEFAULT, other, queued);
        IndexInput busy = opener.openInput("data", IOContext.DEFAULT)) {
      PreadIndexInput closing = (PreadIndexInput) opener.openInput("data", IOContext.DEFAULT);
      LuceneCalls.prefetch(busy, 0, 1);
      InputFile file = closing.file;
      // This runs when the part in the cache is given up, and the file is still open.
      meanwhile.set(() -> file.blocks().prefetch(2_000_000, 1, file.source()));
      closing.close();
      assertNull(meanwhile.get(), "nothing was announced");
      assertEquals(1, queued.openFiles());
    }
    assertEquals(0, queued.openFiles());
  }

  @Test
  void aFileThatIsClosedMeanwhileHarmsNobody() throws Exception {
    Files.write(folder.resolve("other"), data);
    for (int i = 0; i < 50; i++) {
      try (IndexInput other = directory.openInput("other", IOContext.DEFAULT)) {
        for (int j = 0; j < 20; j++) {
          LuceneCalls.prefetch(other, (i * 40_009L + j * 130_003L) % LENGTH, 1);
        }
      }
    }
    byte[] read = new byte[LENGTH];
    input.seek(0);
    input.readBytes(read, 0, LENGTH);
    assertArrayEquals(data, read);
  }
}
