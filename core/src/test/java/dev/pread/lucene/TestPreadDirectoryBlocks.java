/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.lucene;

import dev.pread.BlockCache;
import dev.pread.Fixtures;
import dev.pread.PreadConfig;
import dev.pread.PreadDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FSLockFactory;
import org.apache.lucene.tests.store.BaseChunkedDirectoryTestCase;
import org.junit.After;
import org.junit.Rule;

/** {@link BaseChunkedDirectoryTestCase} on our directory, with a cache. */
public class TestPreadDirectoryBlocks extends BaseChunkedDirectoryTestCase {

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

  /** Lucene's chunks are our blocks; sometimes they all fit and sometimes hardly any. */
  @Override
  protected Directory getDirectory(Path path, int maxChunkSize) throws IOException {
    int bits = 31 - Integer.numberOfLeadingZeros(Math.clamp(maxChunkSize, 8, 1 << 16));
    int blocks = random().nextBoolean() ? 5 : Math.max(5, (1 << 22) >>> bits);
    PreadConfig config =
        PreadConfig.builder().cache(cache(Fixtures.tinyCache(blocks, bits))).bufferSize(8).build();
    return new PreadDirectory(path, FSLockFactory.getDefault(), config);
  }
}
