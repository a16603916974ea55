/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.apache.lucene.store.IndexOutput;
import org.apache.lucene.tests.mockfile.FilterFileSystemProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/**
 * A path of another file system has a name that the host's may have, too. It is refused before
 * anything is touched, here or there.
 */
class ForeignFileSystemTest extends BackendTestCase {

  private static final byte[] HOST_BYTES = {1, 2, 3};

  private Path host;
  private FileSystem zip;

  /** A wrapper as Lucene's tests put them around every path. */
  private static final class Wrapper extends FilterFileSystemProvider {
    Wrapper(FileSystem wrapped) {
      super("wrapper://", wrapped);
    }
  }

  @BeforeEach
  void makeBoth() throws Exception {
    host = Files.createDirectory(folder.resolve("index"));
    Files.write(host.resolve("f"), HOST_BYTES);
    zip = FileSystems.newFileSystem(folder.resolve("index.zip"), Map.of("create", "true"));
  }

  @AfterEach
  void nothingHasChanged() throws Exception {
    try (Stream<Path> inZip = Files.list(zip.getPath("/"))) {
      assertEquals(List.of(), inZip.toList());
    }
    zip.close();
    assertEquals(0, faults.count());
    assertArrayEquals(HOST_BYTES, Files.readAllBytes(host.resolve("f")));
    assertEquals(List.of("f"), namesIn(host));
    assertTrue(
        List.of("index", "index.zip").containsAll(namesIn(folder)), namesIn(folder)::toString);
  }

  private static List<String> namesIn(Path folder) {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(f -> f.getFileName().toString()).sorted().toList();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private void checkRefused(Path path, Path named) {
    List<Executable> ways =
        List.of(
            () -> Fixtures.directory(path, backend).close(),
            () -> Fixtures.direct(path, PreadConfig.DEFAULT, Fixtures.NO_CACHE, backend).close(),
            () -> new PreadDirectory(path).close(),
            () -> new DirectPreadDirectory(path).close());
    for (Executable way : ways) {
      IllegalArgumentException e = assertThrows(IllegalArgumentException.class, way);
      assertTrue(e.getMessage().contains(named.toString()), e.getMessage());
      Fixtures.assertNames(e, "jar");
    }
  }

  @Test
  void aZipIsRefused() {
    checkRefused(zip.getPath(host.toString()), host);
    checkRefused(zip.getPath(folder.resolve("new").toString()), folder.resolve("new"));
    checkRefused(zip.getPath("relative"), Path.of("relative"));
  }

  @Test
  void aWrapperAroundAZipIsRefused() {
    Wrapper wrapper = new Wrapper(zip);
    checkRefused(wrapper.wrapPath(zip.getPath(host.toString())), host);
  }

  @Test
  void aWrapperAroundTheHostsFileSystemIsServed() throws Exception {
    Path once = new Wrapper(FileSystems.getDefault()).wrapPath(host);
    Path wrapped = new Wrapper(once.getFileSystem()).wrapPath(once);
    try (PreadDirectory directory = new PreadDirectory(wrapped)) {
      try (IndexOutput output = directory.createOutput("g", IOContext.DEFAULT)) {
        output.writeInt(4711);
      }
      try (IndexInput input = directory.openInput("g", IOContext.DEFAULT)) {
        assertEquals(4711, input.readInt());
      }
      assertEquals(List.of("f", "g"), namesIn(host));
      directory.deleteFile("g");
    }
  }
}
