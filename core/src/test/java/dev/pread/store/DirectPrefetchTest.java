/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.BlockCache;
import dev.pread.DirectPreadDirectory;
import dev.pread.Fixtures;
import dev.pread.LuceneCalls;
import dev.pread.PreadConfig;
import dev.pread.posix.Backend;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** With direct I/O there is only one place to prefetch into: the block cache. */
@Timeout(60)
class DirectPrefetchTest {
  private static final int LENGTH = 3_000_001;
  private static final int BLOCK = 4096;

  /** Few enough that no read brings its neighbours in once they are taken. */
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
    return Arrays.stream(positions).allMatch(at -> ((PreadIndexInput) slice).isCached(at, 1));
  }

  @Test
  void whatIsThereIsNotPrefetched() throws Exception {
    input.seek(2_000_000);
    input.readByte();
    long before = cache.stats().prefetches();
    for (int i = 0; i < 100; i++) {
      LuceneCalls.prefetch(input, 2_000_000, 10);
    }
    assertEquals(before, cache.stats().prefetches());
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
