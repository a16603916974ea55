/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.lucene;

import dev.pread.DirectPreadDirectory;
import dev.pread.Fixtures;
import dev.pread.PreadConfig;
import java.io.IOException;
import java.nio.file.Path;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FSLockFactory;
import org.apache.lucene.tests.store.BaseDirectoryTestCase;
import org.junit.Rule;

/** {@link BaseDirectoryTestCase} on direct I/O, without a cache. */
public class TestDirectPreadDirectoryUncached extends BaseDirectoryTestCase {

  @Rule public final OpenFilesRule openFiles = new OpenFilesRule();

  @Override
  protected Directory getDirectory(Path path) throws IOException {
    PreadConfig config =
        PreadConfig.builder().cache(Fixtures.NO_CACHE).directWriteMinSize(0).build();
    return Fixtures.settle(new DirectPreadDirectory(path, FSLockFactory.getDefault(), config));
  }
}
