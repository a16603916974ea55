/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.lucene;

import dev.pread.Fixtures;
import dev.pread.TinyDirectDirectory;
import java.io.IOException;
import java.nio.file.Path;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FSLockFactory;
import org.apache.lucene.tests.store.BaseDirectoryTestCase;
import org.junit.Rule;

/** {@link BaseDirectoryTestCase} on direct I/O, with a cache of few blocks. */
public class TestDirectPreadDirectory extends BaseDirectoryTestCase {

  @Rule public final OpenFilesRule openFiles = new OpenFilesRule();

  @Override
  protected Directory getDirectory(Path path) throws IOException {
    return Fixtures.settle(new TinyDirectDirectory(path, FSLockFactory.getDefault()));
  }
}
