/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.solr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.apache.solr.core.SolrCore;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * The zip, unpacked in the folder of Solr's modules and named as the page says, in a JVM whose
 * class path has Solr and nothing of this project's: the jars of the zip have to do.
 */
@Tag("nightly")
@EnabledIfSystemProperty(
    named = "test.module",
    matches = ".+",
    disabledReason = "the zip is made later in the build")
class InstalledModuleTest {

  @Test
  void aCoreLoadsWithTheJarsOfTheZip(@TempDir Path folder) throws Exception {
    Path modules = folder.resolve("modules");
    unzip(Path.of(System.getProperty("test.module")), modules);
    String itself = Path.of(whereIs(InstalledModuleTest.class)).toString();
    String solr =
        Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
            .filter(path -> path.equals(itself) || !hasOurs(path))
            .collect(Collectors.joining(File.pathSeparator));
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "--enable-native-access=ALL-UNNAMED",
            "-Dpread.cache.size=16mb",
            "-Dsolr.install.dir=" + folder,
            "-Dsolr.modules=pread",
            "-cp",
            solr,
            InstalledModuleTest.class.getName(),
            folder.resolve("home").toString());
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), output);
    String jar = modules.toRealPath().resolve("pread/lib/lucene-pread-solr-").toString();
    assertTrue(output.contains("backend=ffm, books=100, factory=" + jar), output);
  }

  private static String whereIs(Class<?> type) throws Exception {
    return type.getProtectionDomain().getCodeSource().getLocation().toURI().getPath();
  }

  /** All of this project's jars and folders are in a build's folder, or have its name. */
  private static boolean hasOurs(String path) {
    return path.contains("lucene-pread") || path.matches(".*/target/[^/]*classes/?");
  }

  private static void unzip(Path zip, Path folder) throws Exception {
    try (ZipFile file = new ZipFile(zip.toFile())) {
      for (ZipEntry entry : Collections.list(file.entries())) {
        Path target = folder.resolve(entry.getName());
        Files.createDirectories(entry.isDirectory() ? target : target.getParent());
        if (!entry.isDirectory()) {
          try (InputStream in = file.getInputStream(entry)) {
            Files.copy(in, target);
          }
        }
      }
    }
  }

  /** What the JVM runs; the argument is Solr's home. */
  public static void main(String[] args) throws Exception {
    Path home = Path.of(args[0]);
    String factory = "dev.pread.solr.PreadDirectoryFactory";
    Node.addCore(home, "books", factory, "<str name=\"type\">pread</str>");
    try (Node node = Node.start(home);
        SolrCore core = node.container.getCore("books")) {
      node.add("books", 0, 100);
      node.commit("books");
      System.out.printf(
          Locale.ROOT,
          "backend=%s, books=%d, factory=%s%n",
          Node.figures(node.container).get("backend"),
          node.count("books", "*:*"),
          whereIs(core.getDirectoryFactory().getClass()));
    }
  }
}
