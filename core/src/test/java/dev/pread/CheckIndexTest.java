/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.CheckIndex;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Lucene's own tool takes our directory by name, as README shows it. */
class CheckIndexTest {

  @TempDir Path folder;

  @Test
  void checkIndexTakesTheDirectoryByItsName() throws Exception {
    try (PreadDirectory directory = new PreadDirectory(folder);
        IndexWriter writer = new IndexWriter(directory, new IndexWriterConfig())) {
      Document document = new Document();
      document.add(new TextField("body", "pread reads at an offset", Field.Store.YES));
      writer.addDocument(document);
    }
    String output =
        BackendJvm.run(
            Map.of(),
            List.of(
                "-Ddev.pread.backend=" + System.getProperty("dev.pread.backend"),
                "--enable-native-access=ALL-UNNAMED"),
            CheckIndex.class,
            "-dir-impl",
            PreadDirectory.class.getName(),
            folder.toString());
    assertTrue(output.contains("No problems were detected"), output);
  }
}
