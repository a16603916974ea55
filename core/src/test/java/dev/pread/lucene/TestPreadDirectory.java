/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.lucene;

import dev.pread.PreadDirectory;
import java.io.IOException;
import java.nio.file.Path;
import org.apache.lucene.store.Directory;
import org.apache.lucene.tests.store.BaseDirectoryTestCase;
import org.junit.Rule;

/** {@link BaseDirectoryTestCase} on our directory, with the cache it has by default. */
public class TestPreadDirectory extends BaseDirectoryTestCase {

  @Rule public final OpenFilesRule openFiles = new OpenFilesRule();

  @Override
  protected Directory getDirectory(Path path) throws IOException {
    return new PreadDirectory(path);
  }
}
