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
import java.util.stream.Stream;
import org.apache.lucene.store.Directory;
import org.apache.lucene.util.Version;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A class path with the wrong Lucene, or with both artifacts, in a JVM of its own. */
class WrongLuceneTest {

  private static final String ARTIFACT_10 = "lucene-pread-core";
  private static final String ARTIFACT_9 = "lucene-pread-lucene9";

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

  /** Returns the version that the name of Lucene's jar ends with. */
  private static String version(Path jar) {
    return jar.getFileName().toString().replaceAll(".*-(\\d[\\d.]*)\\.jar", "$1");
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

  /**
   * Checks that nothing is read, that the reason names these, and that what to do, after its last
   * colon, names this artifact and not the other, or none.
   */
  private static void assertRefused(String output, String advised, Object... named) {
    assertEquals(0, BackendJvm.count(output, "read="), output);
    String reason =
        output
            .lines()
            .filter(line -> line.contains("IllegalStateException: "))
            .findFirst()
            .orElseThrow(() -> new AssertionError(output));
    Fixtures.assertNames(reason, named);
    String advice = reason.substring(reason.lastIndexOf(':'));
    assertEquals(
        advised == null ? List.of() : List.of(advised),
        Stream.of(ARTIFACT_10, ARTIFACT_9).filter(advice::contains).toList(),
        reason);
  }

  private static void assertWorks(String output) {
    assertEquals(2, BackendJvm.count(output, BackendJvm.success("channel")), output);
    assertFalse(output.contains("RightLucene"), output);
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
    assertRefused(run(FOR_10, LUCENE_9), ARTIFACT_9, ARTIFACT_10, "10.3.0", Version.LATEST);
    assertRefused(
        run(FOR_9, LUCENE_10),
        ARTIFACT_10,
        ARTIFACT_9,
        "9.12.0",
        version(LUCENE_10),
        "with lucene-pread-ffi or lucene-pread-jni");
  }

  @Test
  void withALuceneThatNoArtifactIsForItNamesTheOldestItTakes() throws Exception {
    assertRefused(run(FOR_10, LUCENE_10_2), null, ARTIFACT_10, "10.3.0", version(LUCENE_10_2));
  }

  @Test
  void withBothArtifactsItNamesTheOneToKeep() throws Exception {
    Object[] named = {ARTIFACT_9 + " (for Lucene 9)", ARTIFACT_10 + " (for Lucene 10)"};
    for (String output : List.of(run(FOR_9, FOR_10, LUCENE_9), run(FOR_10, FOR_9, LUCENE_9))) {
      assertRefused(output, ARTIFACT_9, named);
      Fixtures.assertNames(output, Version.LATEST);
    }
    String for10 = run(FOR_9, FOR_10, LUCENE_10);
    assertRefused(for10, ARTIFACT_10, named);
    Fixtures.assertNames(for10, version(LUCENE_10));
  }
}
