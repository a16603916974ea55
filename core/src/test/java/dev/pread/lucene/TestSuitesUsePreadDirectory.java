/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.lucene;

import dev.pread.PreadDirectory;
import dev.pread.posix.Backends;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FilterDirectory;
import org.apache.lucene.tests.util.LuceneTestCase;

/** The directory that Lucene's suites are handed here is ours, on the backend of this module. */
public class TestSuitesUsePreadDirectory extends LuceneTestCase {

  public void testDirectoryOfTheSuites() throws Exception {
    try (Directory directory = newDirectory()) {
      Directory bare = FilterDirectory.unwrap(directory);
      assertTrue(bare.getClass().getName(), bare instanceof PreadDirectory);
      String asked = System.getProperty(Backends.PROPERTY);
      assertNotNull("the build names the backend it tests", asked);
      assertEquals(asked, ((PreadDirectory) bare).backendName());
    }
  }

  public void testFileSystemDirectoryOfTheSuites() throws Exception {
    try (Directory directory = newFSDirectory(createTempDir())) {
      assertTrue(FilterDirectory.unwrap(directory) instanceof PreadDirectory);
    }
  }
}
