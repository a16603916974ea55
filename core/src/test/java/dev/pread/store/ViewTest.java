/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.pread.BlockCache;
import dev.pread.Fixtures;
import dev.pread.PreadConfig;
import dev.pread.posix.Backend;
import dev.pread.posix.FaultPosix;
import dev.pread.posix.FaultPosix.Function;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where inputs get memory from: views of the cache's, and memory of their own without a cache. */
class ViewTest {

  private static final int BLOCK_BITS = 12;
  private static final int BLOCK = 1 << BLOCK_BITS;

  @TempDir Path folder;

  private final FaultPosix faults = Fixtures.faults().withoutRecord();
  private final Backend backend = new Backend(faults);

  /** A stretch is as long as a chunk: nothing is read in vain for a range that two have. */
  @Test
  void aRangeThatCanNeverBeInOnePieceIsNotReadForAView() throws IOException {
    byte[] data = Fixtures.randomBytes(7, 8 * BLOCK);
    Files.write(folder.resolve("f"), data);
    try (BlockCache cache = Fixtures.tinyCache(64, BLOCK_BITS, 4);
        Directory directory = Fixtures.directory(folder, PreadConfig.DEFAULT, cache, backend);
        CachedPreadInput in = (CachedPreadInput) directory.openInput("f", IOContext.DEFAULT)) {
      for (int i = 0; i < 3; i++) {
        assertNull(in.view(0, 8 * BLOCK, (chunk, base, size, release) -> new Object()));
        assertNull(in.view(4 * BLOCK - 1, 2, (chunk, base, size, release) -> new Object()));
      }
      assertEquals(0, faults.count(Function.PREADV));
      // It is read in the background, since somebody would have used it.
      Object[] view = new Object[1];
      Fixtures.awaitCount(
          () -> {
            try {
              view[0] = in.view(4 * BLOCK, 4 * BLOCK, (chunk, base, size, release) -> new Object());
              return view[0] == null ? 0 : 1;
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          },
          1);
      assertNotNull(view[0]);
      assertEquals(0, in.viewOffset(4 * BLOCK));
    }
  }

  /** There may be many thousands of clones when their cache is closed. */
  @Test
  void withoutACacheAnInputTakesLittleMemoryOfItsOwn() throws IOException {
    byte[] data = Fixtures.randomBytes(7, 256 << 10);
    Files.write(folder.resolve("f"), data);
    BlockCache cache = Fixtures.tinyCache(64, 16);
    try (Directory directory = Fixtures.directory(folder, PreadConfig.DEFAULT, cache, backend);
        IndexInput in = directory.openInput("f", IOContext.DEFAULT)) {
      cache.close();
      long before = directMemory();
      List<IndexInput> slices = new ArrayList<>();
      for (int i = 0; i < 1000; i++) {
        slices.add(in.slice("long", i, 200_000));
        slices.add(in.slice("short", i, 10));
      }
      for (int i = 0; i < slices.size(); i++) {
        int start = i / 2;
        int skip = i % 2 == 0 ? 100_000 : 3;
        IndexInput slice = slices.get(i);
        slice.seek(skip);
        for (int j = 0; j < 7; j++) {
          assertEquals(data[start + skip + j], slice.readByte());
        }
        slice.seek(0);
        assertEquals(data[start], slice.readByte());
      }
      long taken = directMemory() - before;
      if (taken > 1000 * (4400 + 32L)) {
        throw new AssertionError(taken + " bytes");
      }
    }
  }

  private static long directMemory() {
    return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
        .filter(pool -> pool.getName().equals("direct"))
        .mapToLong(BufferPoolMXBean::getMemoryUsed)
        .sum();
  }
}
