/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.opensearch;

import dev.pread.opensearch.server.ServerHome;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** The homes of servers for a test, gone when it is closed. */
final class Servers implements AutoCloseable {

  /** The version that a build tests; with -Pnightly it tests the oldest too. */
  static final String NEWEST = "3.9.0";

  static final String OLDEST = "3.4.0";

  private final Path folder;

  Servers() throws IOException {
    // Not below the build's folder, which may be where only root can go.
    folder = Files.createTempDirectory(Path.of("/tmp"), "opensearch-");
    Files.setPosixFilePermissions(
        folder, java.nio.file.attribute.PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  /** A home with the plugin, installed from the zip. */
  ServerHome home(String version, String name) throws IOException {
    return ServerHome.assemble(jars(version), zip(), folder.resolve(name));
  }

  /** A home without the plugin. */
  ServerHome bareHome(String version, String name) throws IOException {
    return ServerHome.assemble(jars(version), null, folder.resolve(name));
  }

  private static Path jars(String version) {
    return Path.of(System.getProperty("test.servers"), version, "target", "jars");
  }

  /** The plugin as users get it. */
  static Path zip() {
    return Path.of(System.getProperty("test.plugin"));
  }

  @Override
  public void close() throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      files.sorted(Comparator.reverseOrder()).forEach(Servers::delete);
    }
  }

  private static void delete(Path file) {
    try {
      Files.delete(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
