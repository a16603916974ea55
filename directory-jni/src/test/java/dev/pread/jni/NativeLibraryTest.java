/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.jni;

import static dev.pread.BackendJvm.count;
import static dev.pread.BackendJvm.success;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.BackendJvm;
import dev.pread.Fixtures;
import dev.pread.posix.BackendUnavailableException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.lucene.tests.mockfile.FilterFileSystemProvider;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests where the library is loaded from, what is left behind, and what is said where that fails.
 */
class NativeLibraryTest {

  private static final String FALLBACK = "java.nio FileChannel";

  /** The offset of the processor in an ELF file, {@code e_machine}. */
  private static final int ELF_MACHINE = 18;

  @TempDir Path folder;

  private Path temporary;

  @BeforeEach
  void makeFolder() throws IOException {
    temporary = Files.createDirectory(folder.resolve("temporary"));
  }

  /** Runs it in a JVM with a folder for temporary files of its own. */
  private String run(String... options) throws Exception {
    String[] all = new String[options.length + 2];
    all[0] = "-Djava.io.tmpdir=" + temporary;
    // From Java 24 on a warning would be printed without it.
    all[1] = "--enable-native-access=ALL-UNNAMED";
    System.arraycopy(options, 0, all, 2, options.length);
    return BackendJvm.run(folder, all);
  }

  /** Returns the library of this build for this machine, as a file of one's own. */
  private Path library() throws Exception {
    String platform =
        NativeLibrary.platform(System.getProperty("os.name"), System.getProperty("os.arch"));
    Path file = folder.resolve("own.so");
    try (InputStream in = NativeLibrary.class.getResourceAsStream(platform + "/libpread_jni.so")) {
      Files.copy(in, file);
    }
    return file;
  }

  private static List<Path> left(Path where) throws IOException {
    try (var files = Files.list(where)) {
      // What the JVM itself keeps there is not ours.
      return files.filter(f -> !f.getFileName().toString().startsWith("hsperfdata")).toList();
    }
  }

  @Test
  void isChosenWithoutFfmAndLeavesNoFile() throws Exception {
    String output = run();
    assertEquals(2, count(output, success("jni")), output);
    assertFalse(output.contains(FALLBACK), output);
    assertFalse(output.contains("WARNING"), output);
    assertEquals(List.of(), left(temporary));
  }

  @Test
  void isLoadedFromTheFileThatIsNamed() throws Exception {
    Path library = library();
    // No folder for temporary files is needed then.
    String output =
        run("-Djava.io.tmpdir=" + folder.resolve("missing"), "-Ddev.pread.jni.library=" + library);
    assertEquals(2, count(output, success("jni")), output);
    assertTrue(Files.exists(library), "the user's file stays");
  }

  @Test
  void aFileThatIsMissingFallsBackWithTheRemedy() throws Exception {
    Path missing = folder.resolve("missing.so");
    String output = run("-Ddev.pread.jni.library=" + missing);
    assertEquals(2, count(output, success("channel")), output);
    assertEquals(1, count(output, FALLBACK), output);
    Fixtures.assertNames(output, missing, "-Ddev.pread.jni.library", System.getProperty("os.arch"));
  }

  @Test
  void aFileThatIsNoLibraryFallsBackWithTheRemedy() throws Exception {
    Path garbage = Files.write(folder.resolve("garbage.so"), new byte[100]);
    String output = run("-Ddev.pread.jni.library=" + garbage);
    assertEquals(2, count(output, success("channel")), output);
    Fixtures.assertNames(output, garbage, "-Ddev.pread.jni.library");
  }

  @Test
  void aLibraryOfSomebodyElseFallsBackWithTheRemedy() throws Exception {
    Path other = Path.of(System.getProperty("java.home"), "lib", "libprefs.so");
    Assumptions.assumeTrue(Files.exists(other), "no library of the JDK to try it with");
    String output = run("-Ddev.pread.jni.library=" + other);
    assertEquals(2, count(output, success("channel")), output);
    Fixtures.assertNames(output, "-Ddev.pread.jni.library");
  }

  @Test
  void aFolderThatCannotBeWrittenFallsBackWithTheRemedy() throws Exception {
    String output = run("-Djava.io.tmpdir=" + folder.resolve("missing"));
    assertEquals(2, count(output, success("channel")), output);
    Fixtures.assertNames(output, folder.resolve("missing"), "-Djava.io.tmpdir");
  }

  /** A file system that deletes nothing. */
  private static final class KeepingFileSystem extends FilterFileSystemProvider {

    private int deletions;

    KeepingFileSystem() {
      super("keeping://", FileSystems.getDefault());
    }

    @Override
    public void delete(Path path) throws IOException {
      deletions++;
      throw new AccessDeniedException(path.toString());
    }

    @Override
    public boolean deleteIfExists(Path path) throws IOException {
      delete(path);
      return false;
    }
  }

  @Test
  void aFileThatCannotBeDeletedHidesNothing() throws Exception {
    KeepingFileSystem keeping = new KeepingFileSystem();
    Path good = keeping.wrapPath(Files.createFile(folder.resolve("good.so")));
    byte[] library = Files.readAllBytes(library());
    NativeLibrary.loadCopy(new ByteArrayInputStream(library), "here", good);
    assertEquals(LinuxCalls.VERSION, LinuxCalls.version());
    // One for another processor: of a file that is no library at all the JVM would print a warning.
    library[ELF_MACHINE]++;
    Path bad = keeping.wrapPath(Files.createFile(folder.resolve("bad.so")));
    BackendUnavailableException e =
        assertThrows(
            BackendUnavailableException.class,
            () -> NativeLibrary.loadCopy(new ByteArrayInputStream(library), "here", bad));
    Fixtures.assertNames(e, "here", folder, "noexec", "-Djava.io.tmpdir");
    assertEquals(2, keeping.deletions);
  }

  /** A jar that was built on another machine is such a one. */
  @Test
  void aJarWithoutTheLibraryFallsBackAndNamesWhatToTake() throws Exception {
    Path classes =
        Path.of(NativeLibrary.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    Path copy = folder.resolve("classes");
    try (var files = Files.walk(classes)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        if (!file.toString().endsWith(".so")) {
          Files.copy(file, copy.resolve(classes.relativize(file).toString()));
        }
      }
    }
    String classPath =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    assertTrue(classPath.contains(classes.toString()), classPath);
    String output =
        BackendJvm.run(
            Map.of(),
            List.of("--enable-native-access=ALL-UNNAMED"),
            classPath.replace(classes.toString(), copy.toString()),
            BackendJvm.class,
            Files.createTempDirectory(folder, "index").toString());
    assertEquals(2, count(output, success("channel")), output);
    String platform =
        NativeLibrary.platform(System.getProperty("os.name"), System.getProperty("os.arch"));
    // The reasons are in braces; the advice behind them names the artifacts in any case.
    String why = output.substring(output.indexOf('{'), output.indexOf('}'));
    Fixtures.assertNames(
        why,
        "lucene-pread-jni",
        platform,
        "lucene-pread-ffi",
        "Java 22",
        "-Ddev.pread.jni.library");
  }

  @Test
  void whenForcedItFailsInsteadOfFallingBack() throws Exception {
    String output =
        run("-Ddev.pread.backend=jni", "-Ddev.pread.jni.library=" + folder.resolve("missing.so"));
    Fixtures.assertNames(output, IllegalStateException.class.getName(), "-Ddev.pread.jni.library");
    assertFalse(output.contains("read="), output);
    assertFalse(output.contains(FALLBACK), output);
  }

  @Test
  void deniedNativeAccessIsToldAsSuch() throws Exception {
    Assumptions.assumeTrue(Runtime.version().feature() >= 24, "Java denies it from 24 on");
    String output = BackendJvm.run(folder, "--illegal-native-access=deny");
    assertEquals(2, count(output, success("channel")), output);
    Fixtures.assertNames(output, "denied", "--enable-native-access");
  }

  @Test
  void platformsAreNamedOrRefused() throws Exception {
    assertEquals("linux-x86_64", NativeLibrary.platform("Linux", "amd64"));
    assertEquals("linux-x86_64", NativeLibrary.platform("Linux", "x86_64"));
    assertEquals("linux-aarch64", NativeLibrary.platform("Linux", "aarch64"));
    for (String[] other :
        new String[][] {{"Mac OS X", "aarch64"}, {"Linux", "riscv64"}, {"Windows 11", "amd64"}}) {
      BackendUnavailableException e =
          assertThrows(
              BackendUnavailableException.class, () -> NativeLibrary.platform(other[0], other[1]));
      assertEquals(
          "it knows Linux on x86-64 and aarch64, and this is " + other[0] + " on " + other[1],
          e.getMessage());
    }
  }
}
