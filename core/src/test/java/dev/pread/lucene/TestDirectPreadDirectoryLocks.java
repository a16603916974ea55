/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.lucene;

import dev.pread.DirectPreadDirectory;
import java.io.IOException;
import java.nio.file.Path;
import org.apache.lucene.store.Directory;
import org.apache.lucene.tests.store.BaseLockFactoryTestCase;
import org.junit.Rule;

/** {@link BaseLockFactoryTestCase} on direct I/O. */
public class TestDirectPreadDirectoryLocks extends BaseLockFactoryTestCase {

  @Rule public final OpenFilesRule openFiles = new OpenFilesRule();

  @Override
  protected Directory getDirectory(Path path) throws IOException {
    return new DirectPreadDirectory(path);
  }
}
