/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.opensearch.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;

/** Whose processes the servers are: they refuse to be root's, so root starts them as nobody's. */
final class Account {

  private static final int NOBODY = 65534;

  private Account() {}

  static boolean isRoot() {
    try {
      return Integer.valueOf(0).equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
    } catch (IOException | UnsupportedOperationException e) {
      return false;
    }
  }

  /** Returns what goes before a command so that it runs as somebody who is not root. */
  static List<String> prefix() {
    return isRoot()
        ? List.of("setpriv", "--reuid=" + NOBODY, "--regid=" + NOBODY, "--clear-groups", "--")
        : List.of();
  }

  /**
   * Gives a server's home to whoever will run it: the folders it writes into.
   *
   * @throws IOException if a folder above is closed to others
   */
  static void give(ServerHome home) throws IOException {
    if (!isRoot()) {
      return;
    }
    Files.setPosixFilePermissions(home.path(), PosixFilePermissions.fromString("rwxr-xr-x"));
    for (Path above = home.path(); above != null; above = above.getParent()) {
      if (!PosixFilePermissions.toString(Files.getPosixFilePermissions(above)).endsWith("x")) {
        throw new IOException(
            "a server runs as nobody, to whom " + above + " is closed: use a folder elsewhere");
      }
    }
    for (String folder : List.of("config", "data", "logs", "tmp", "repository")) {
      try (Stream<Path> files = Files.walk(home.path().resolve(folder))) {
        for (Path file : files.toList()) {
          Files.setAttribute(file, "unix:uid", NOBODY);
          Files.setAttribute(file, "unix:gid", NOBODY);
        }
      }
    }
  }
}
