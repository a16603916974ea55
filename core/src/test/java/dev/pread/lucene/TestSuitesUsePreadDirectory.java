/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.lucene;

import dev.pread.posix.BackendRegistry;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FilterDirectory;
import org.apache.lucene.tests.util.LuceneTestCase;

/** The directory that Lucene's suites are handed here is ours, on the backend of this module. */
public class TestSuitesUsePreadDirectory extends LuceneTestCase {

  public void testDirectoryOfTheSuites() throws Exception {
    try (Directory directory = newDirectory()) {
      Directory bare = FilterDirectory.unwrap(directory);
      assertEquals(System.getProperty("tests.directory"), bare.getClass().getName());
      String asked = System.getProperty(BackendRegistry.PROPERTY);
      assertNotNull("the build names the backend it tests", asked);
      assertTrue(bare.toString(), bare.toString().contains(" backend=" + asked));
    }
  }

  public void testFileSystemDirectoryOfTheSuites() throws Exception {
    try (Directory directory = newFSDirectory(createTempDir())) {
      assertEquals(
          System.getProperty("tests.directory"),
          FilterDirectory.unwrap(directory).getClass().getName());
    }
  }
}
