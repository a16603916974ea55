/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.lucene;

import dev.pread.DirectPreadDirectory;
import java.io.IOException;
import java.nio.file.Path;
import org.apache.lucene.store.Directory;
import org.apache.lucene.tests.store.BaseLockFactoryTestCase;
import org.apache.lucene.tests.util.LuceneTestCase.SuppressSysoutChecks;
import org.junit.Rule;

/** {@link BaseLockFactoryTestCase} on direct I/O. */
@SuppressSysoutChecks(bugUrl = "each directory says that it falls back, where it has to")
public class TestDirectPreadDirectoryLocks extends BaseLockFactoryTestCase {

  @Rule public final OpenFilesRule openFiles = new OpenFilesRule();

  @Override
  protected Directory getDirectory(Path path) throws IOException {
    return new DirectPreadDirectory(path);
  }
}
