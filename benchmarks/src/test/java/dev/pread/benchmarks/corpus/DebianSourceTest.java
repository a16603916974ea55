/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.corpus;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pread.benchmarks.StopSignal;
import dev.pread.benchmarks.UserError;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.compressors.CompressorStreamFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The archive in the archive in the package. */
class DebianSourceTest {
  @TempDir private Path temp;

  private static byte[] tar(Map<String, byte[]> files) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (TarArchiveOutputStream out = new TarArchiveOutputStream(bytes)) {
      for (Map.Entry<String, byte[]> file : new TreeMap<>(files).entrySet()) {
        TarArchiveEntry entry = new TarArchiveEntry(file.getKey(), true);
        entry.setSize(file.getValue().length);
        out.putArchiveEntry(entry);
        out.write(file.getValue());
        out.closeArchiveEntry();
      }
    }
    return bytes.toByteArray();
  }

  private static byte[] source() throws Exception {
    byte[] tar =
        tar(
            Map.of(
                "linux/a.c", "int a;\n".getBytes(StandardCharsets.UTF_8),
                "linux/b.bin", new byte[100],
                "linux/c.c", "int c;\n".getBytes(StandardCharsets.UTF_8)));
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (OutputStream packed =
        new CompressorStreamFactory().createCompressorOutputStream("xz", bytes)) {
      packed.write(tar);
    }
    return bytes.toByteArray();
  }

  private static void assertTexts(Corpus corpus) throws IOException {
    assertEquals(new SourceText("linux/a.c", "int a;\n"), corpus.next());
    assertEquals(new SourceText("linux/c.c", "int c;\n"), corpus.next());
    assertEquals(null, corpus.next());
    assertEquals(1, corpus.progress(), 0.01);
  }

  @Test
  void archiveInAnArchive() throws Exception {
    byte[] outer =
        tar(
            Map.of(
                "./usr/share/doc/changelog.gz",
                new byte[10],
                "./usr/src/linux-source-6.12.tar.xz",
                source()));
    AtomicInteger ended = new AtomicInteger();
    try (Corpus corpus =
        DebianSource.inner(temp, new ByteArrayInputStream(outer), ended::incrementAndGet)) {
      assertTexts(corpus);
      assertEquals(0, ended.get());
    }
    assertEquals(1, ended.get());
  }

  @Test
  void archiveWithoutOneIsSaid() throws Exception {
    byte[] outer = tar(Map.of("./usr/share/doc/changelog.gz", new byte[10]));
    UserError e =
        assertThrows(
            UserError.class,
            () -> DebianSource.inner(temp, new ByteArrayInputStream(outer), () -> {}));
    assertTrue(e.getMessage().contains("no archive of text in it"), e.getMessage());
  }

  @Test
  void truncatedOneIsSaid() throws Exception {
    byte[] outer = tar(Map.of("./usr/src/linux-source-6.12.tar.xz", source()));
    byte[] half = java.util.Arrays.copyOf(outer, 612);
    assertThrows(
        IOException.class,
        () -> {
          try (Corpus corpus = DebianSource.inner(temp, new ByteArrayInputStream(half), () -> {})) {
            assertTexts(corpus);
          }
        });
  }

  private static void assume(String... command) throws Exception {
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      process.getInputStream().readAllBytes();
      assumeTrue(process.waitFor(30, TimeUnit.SECONDS), command[0] + " hangs");
    } catch (IOException e) {
      abort(command[0] + " is not installed");
    }
  }

  @Test
  void realPackage() throws Exception {
    assume("dpkg-deb", "--version");
    Path root = temp.resolve("root");
    Files.createDirectories(root.resolve("DEBIAN"));
    Files.writeString(
        root.resolve("DEBIAN/control"),
        """
        Package: sample
        Version: 1
        Architecture: all
        Maintainer: a <a@b.c>
        Description: text
        """);
    Files.createDirectories(root.resolve("usr/src"));
    Files.write(root.resolve("usr/src/sample.tar.xz"), source());
    Path file = temp.resolve("sample_1_all.deb");
    assume("dpkg-deb", "--build", root.toString(), file.toString());
    try (Corpus corpus = DebianSource.open(file)) {
      assertTexts(corpus);
    }
    try (StopSignal stop = StopSignal.ofShutdown()) {
      assertEquals(file, DebianSource.fetch("sample", temp, stop), "nothing is fetched twice");
    }
    Files.writeString(file, "no package");
    assertThrows(UserError.class, () -> DebianSource.open(file));
  }

  @Test
  void packageThatIsNotThereIsSaid() throws Exception {
    assume("apt-get", "--version");
    try (StopSignal stop = StopSignal.ofShutdown()) {
      UserError e =
          assertThrows(
              UserError.class, () -> DebianSource.fetch("no-such-package-of-text", temp, stop));
      assertTrue(e.getMessage().contains("apt-get"), e.getMessage());
      assertTrue(e.getMessage().contains("--corpus"), e.getMessage());
    }
  }
}
