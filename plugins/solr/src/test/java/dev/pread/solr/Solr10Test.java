/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.solr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.plugin.NodeDirectories;
import java.io.File;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.lucene.document.Document;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FilterDirectory;
import org.apache.lucene.store.MMapDirectory;
import org.apache.solr.common.util.NamedList;
import org.apache.solr.core.DirectoryFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;

/**
 * The factory under the base class that it has in Solr 10, in a JVM of its own. There is no core
 * around it: what Solr 10 needs to load one is not published as a whole.
 */
@Tag("slow")
@EnabledIfSystemProperty(
    named = "test.solr10",
    matches = ".+",
    disabledReason = "the profile `plugins` gets Solr 10")
class Solr10Test {

  private static final String SUCCESS = "directory=PreadDirectory, documents=1";

  @Test
  void makesDirectories(@TempDir Path folder) throws Exception {
    Path solr10 = Path.of(System.getProperty("test.solr10"));
    String jars;
    try (Stream<Path> files = Files.list(solr10)) {
      jars = files.map(Path::toString).collect(Collectors.joining(File.pathSeparator));
    }
    String classPath =
        String.join(
            File.pathSeparator,
            jars,
            System.getProperty("test.core"),
            whereIs(PreadDirectoryFactory.class),
            whereIs(NodeDirectories.class),
            whereIs(Logger.class),
            whereIs(Solr10Test.class));
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Dpread.cache.size=16mb",
            "-cp",
            classPath,
            Solr10Test.class.getName(),
            folder.toString());
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), output);
    assertTrue(output.contains(SUCCESS), output);
  }

  private static String whereIs(Class<?> type) throws URISyntaxException {
    return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
  }

  /** What the JVM runs; the argument is a folder. */
  public static void main(String[] args) throws Exception {
    String path = Path.of(args[0], "index").toString();
    try (DirectoryFactory factory = new PreadDirectoryFactory()) {
      factory.init(new NamedList<>());
      Directory directory = factory.get(path, DirectoryFactory.DirContext.DEFAULT, "native");
      try (IndexWriter writer = new IndexWriter(directory, new IndexWriterConfig())) {
        writer.addDocument(new Document());
      }
      Directory ours = FilterDirectory.unwrap(directory);
      factory.doneWithDirectory(directory);
      factory.release(directory);
      try (Directory lucenes = new MMapDirectory(Path.of(path));
          DirectoryReader reader = DirectoryReader.open(lucenes)) {
        System.out.println(
            "directory=" + ours.getClass().getSimpleName() + ", documents=" + reader.numDocs());
      }
    }
  }
}
