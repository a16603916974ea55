/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.lucene.store.Directory;
import org.apache.lucene.util.Version;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A class path with the wrong Lucene, or with both artifacts, in a JVM of its own. */
class WrongLuceneTest {

  /** The classes of core, which are for Lucene 10. */
  private static final Path FOR_10 = Path.of(System.getProperty("dev.pread.test.core"));

  private static final Path LUCENE_10 = Path.of(System.getProperty("dev.pread.test.lucene10"));

  /** One that no artifact is for. */
  private static final Path LUCENE_10_2 = Path.of(System.getProperty("dev.pread.test.lucene102"));

  private static final Path FOR_9 = whereIs(PreadDirectory.class);
  private static final Path LUCENE_9 = whereIs(Directory.class);

  @TempDir Path folder;

  private static Path whereIs(Class<?> type) {
    try {
      return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new AssertionError(e);
    }
  }

  /** Opens a directory with these on the class path, in this order. */
  private String run(Path... classPath) throws Exception {
    StringBuilder all = new StringBuilder(whereIs(BackendJvm.class).toString());
    for (Path path : classPath) {
      assertTrue(Files.exists(path), () -> path + ": build core first");
      all.append(File.pathSeparator).append(path);
    }
    return BackendJvm.run(
        Map.of(),
        List.of("-Ddev.pread.backend=channel"),
        all.toString(),
        BackendJvm.class,
        Files.createTempDirectory(folder, "index").toString());
  }

  private static void assertRefused(String message, String output) {
    assertTrue(output.contains("IllegalStateException: " + message), output);
    assertEquals(0, BackendJvm.count(output, "read="), output);
  }

  private static void assertWorks(String output) {
    assertEquals(2, BackendJvm.count(output, BackendJvm.success("channel")), output);
    assertFalse(output.contains("differ"), output);
    assertFalse(output.contains(" was built for Lucene "), output);
  }

  @Test
  void eachArtifactWorksWithItsOwnLucene() throws Exception {
    assertWorks(run(FOR_9, LUCENE_9));
    assertWorks(run(FOR_10, LUCENE_10));
  }

  @Test
  void theSameArtifactTwiceIsNotTwoArtifacts() throws Exception {
    Path copy = folder.resolve("copy");
    try (var files = Files.walk(FOR_9)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        Files.copy(file, copy.resolve(FOR_9.relativize(file).toString()));
      }
    }
    assertWorks(run(FOR_9, copy, LUCENE_9));
  }

  @Test
  void withTheOtherLuceneItNamesTheOtherArtifact() throws Exception {
    assertRefused(
        "lucene-pread-core is for Lucene 10 from 10.3.0 on, and this is Lucene "
            + Version.LATEST
            + ": take lucene-pread-lucene9 instead",
        run(FOR_10, LUCENE_9));
    String output = run(FOR_9, LUCENE_10);
    assertRefused("lucene-pread-lucene9 is for Lucene 9 from 9.12.0 on, and this is", output);
    assertTrue(output.contains(": take lucene-pread-core instead"), output);
  }

  @Test
  void withALuceneThatNoArtifactIsForItNamesTheOldestItTakes() throws Exception {
    assertRefused(
        "lucene-pread-core is for Lucene 10 from 10.3.0 on, and this is Lucene 10.2.2: there is no"
            + " artifact for it, take another version of Lucene",
        run(FOR_10, LUCENE_10_2));
  }

  @Test
  void withBothArtifactsItNamesTheOneToKeep() throws Exception {
    String for9 = "keep lucene-pread-lucene9 alone, since this is Lucene " + Version.LATEST;
    String first9 = run(FOR_9, FOR_10, LUCENE_9);
    assertRefused("lucene-pread-lucene9 (for Lucene 9) and lucene-pread-core", first9);
    assertTrue(first9.contains(for9), first9);
    String first10 = run(FOR_10, FOR_9, LUCENE_9);
    assertRefused("lucene-pread-core (for Lucene 10) and lucene-pread-lucene9", first10);
    assertTrue(first10.contains(for9), first10);
    String for10 = run(FOR_9, FOR_10, LUCENE_10);
    assertRefused("lucene-pread-lucene9 (for Lucene 9) and lucene-pread-core", for10);
    assertTrue(for10.contains("keep lucene-pread-core alone, since this is Lucene 10."), for10);
  }
}
