/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.lucene;

import dev.pread.BlockCache;
import dev.pread.DirectPreadDirectory;
import dev.pread.Fixtures;
import dev.pread.PreadConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FSLockFactory;
import org.apache.lucene.tests.store.BaseChunkedDirectoryTestCase;
import org.junit.After;
import org.junit.Rule;

/**
 * {@link BaseChunkedDirectoryTestCase} on direct I/O: what is not a multiple of the block falls
 * back.
 */
public class TestDirectPreadDirectoryBlocks extends BaseChunkedDirectoryTestCase {

  @Rule public final OpenFilesRule openFiles = new OpenFilesRule();

  private final List<BlockCache> caches = new ArrayList<>();

  private BlockCache cache(BlockCache cache) {
    caches.add(cache);
    return cache;
  }

  @After
  public void closeCaches() {
    caches.forEach(BlockCache::close);
  }

  @Override
  protected Directory getDirectory(Path path, int maxChunkSize) throws IOException {
    int bits = 31 - Integer.numberOfLeadingZeros(Math.clamp(maxChunkSize, 512, 1 << 16));
    BlockCache blocks =
        random().nextInt(4) == 0 ? Fixtures.NO_CACHE : cache(Fixtures.tinyCache(5, bits));
    // Without a cache each refill of a buffer is a read of the device.
    int buffer = blocks == Fixtures.NO_CACHE ? Math.min(1 << bits, 1 << 14) : 8;
    PreadConfig config =
        PreadConfig.builder().cache(blocks).bufferSize(buffer).directWriteMinSize(0).build();
    return Fixtures.settle(new DirectPreadDirectory(path, FSLockFactory.getDefault(), config));
  }
}
