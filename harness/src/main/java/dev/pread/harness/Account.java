/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.harness;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Says whose processes the servers are: they refuse to be root's, so root starts them as nobody's.
 */
public final class Account {

  private static final int NOBODY = 65534;
  private static final boolean IS_ROOT = System.getProperty("user.name").equals("root");

  private Account() {}

  /** Returns what goes before a command so that it runs as somebody who is not root. */
  public static List<String> prefix() {
    return IS_ROOT
        ? List.of("setpriv", "--reuid=" + NOBODY, "--regid=" + NOBODY, "--clear-groups", "--")
        : List.of();
  }

  /**
   * Gives a server what it writes to, and lets it through its home and the folder that this is in.
   *
   * @param written names of folders in the home
   * @throws IOException if a folder further above is closed to others
   */
  public static void give(Path home, String... written) throws IOException {
    if (!IS_ROOT) {
      return;
    }
    for (Path above = home; above != null; above = above.getParent()) {
      Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(above);
      if (permissions.add(PosixFilePermission.OTHERS_EXECUTE)) {
        if (!above.equals(home) && !above.equals(home.getParent())) {
          throw new IOException(
              "a server runs as nobody, to whom " + above + " is closed: use a folder elsewhere");
        }
        Files.setPosixFilePermissions(above, permissions);
      }
    }
    for (String folder : written) {
      try (Stream<Path> files = Files.walk(home.resolve(folder))) {
        for (Path file : files.toList()) {
          Files.setAttribute(file, "unix:uid", NOBODY);
          Files.setAttribute(file, "unix:gid", NOBODY);
        }
      }
    }
  }
}
