/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.lucene;

import dev.pread.Fixtures;
import dev.pread.PreadConfig;
import dev.pread.PreadDirectory;
import java.io.IOException;
import java.nio.file.Path;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FSLockFactory;
import org.apache.lucene.tests.store.BaseDirectoryTestCase;
import org.junit.Rule;

/** {@link BaseDirectoryTestCase} on our directory, without a cache. */
public class TestPreadDirectoryUncached extends BaseDirectoryTestCase {

  @Rule public final OpenFilesRule openFiles = new OpenFilesRule();

  @Override
  protected Directory getDirectory(Path path) throws IOException {
    PreadConfig config = PreadConfig.builder().cache(Fixtures.NO_CACHE).build();
    return new PreadDirectory(path, FSLockFactory.getDefault(), config);
  }
}
