/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.opensearch;

import dev.pread.opensearch.server.ServerHome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.lucene.util.IOUtils;

/** The homes of servers for a test, gone when it is closed. */
final class Servers implements AutoCloseable {

  private final Path folder;

  Servers() throws IOException {
    // It is not below the build's folder, which may be where only root can go.
    folder = Files.createTempDirectory(Path.of("/tmp"), "opensearch-");
  }

  /** Returns a home with the plugin, installed from the zip. */
  ServerHome home(ServerVersion version, String name) throws IOException {
    return assemble(version, version.zip(), name);
  }

  /** Returns a home without the plugin. */
  ServerHome bareHome(ServerVersion version, String name) throws IOException {
    return assemble(version, null, name);
  }

  private ServerHome assemble(ServerVersion version, Path zip, String name) throws IOException {
    return ServerHome.assemble(version.jars(), zip, folder.resolve(name), version.java());
  }

  @Override
  public void close() throws IOException {
    IOUtils.rm(folder);
  }
}
