/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
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
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-Ddev.pread.backend=" + System.getProperty("dev.pread.backend"),
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty(
                    "surefire.test.class.path", System.getProperty("java.class.path")),
                CheckIndex.class.getName(),
                "-dir-impl",
                PreadDirectory.class.getName(),
                folder.toString())
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), output);
  }
}
