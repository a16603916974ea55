/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.lucene;

import dev.pread.TinyCacheDirectory;
import java.io.IOException;
import java.nio.file.Path;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FSLockFactory;
import org.apache.lucene.tests.store.BaseDirectoryTestCase;
import org.junit.Rule;

/** {@link BaseDirectoryTestCase} on our directory, with a cache that is always full. */
public class TestPreadDirectoryTinyCache extends BaseDirectoryTestCase {

  @Rule public final OpenFilesRule openFiles = new OpenFilesRule();

  @Override
  protected Directory getDirectory(Path path) throws IOException {
    return new TinyCacheDirectory(path, FSLockFactory.getDefault());
  }
}
