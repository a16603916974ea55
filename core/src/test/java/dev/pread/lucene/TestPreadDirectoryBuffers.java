/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.lucene;

import dev.pread.Fixtures;
import dev.pread.PreadConfig;
import dev.pread.PreadDirectory;
import java.io.IOException;
import java.nio.file.Path;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FSLockFactory;
import org.apache.lucene.tests.store.BaseChunkedDirectoryTestCase;
import org.junit.Rule;

/** {@link BaseChunkedDirectoryTestCase} on our directory, without a cache. */
public class TestPreadDirectoryBuffers extends BaseChunkedDirectoryTestCase {

  @Rule public final OpenFilesRule openFiles = new OpenFilesRule();

  /** Lucene's chunks are our buffers, whose borders are what this suite looks for. */
  @Override
  protected Directory getDirectory(Path path, int maxChunkSize) throws IOException {
    int size = Integer.highestOneBit(Math.clamp(maxChunkSize, 8, 1 << 20));
    PreadConfig.Builder config = PreadConfig.builder().cache(Fixtures.NO_CACHE).bufferSize(size);
    Fixtures.writeBuffer(Fixtures.sequentialBuffer(config, size), 4096);
    return new PreadDirectory(path, FSLockFactory.getDefault(), config.build());
  }
}
