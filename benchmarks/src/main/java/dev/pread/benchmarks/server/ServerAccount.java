/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.server;

import dev.pread.benchmarks.UserError;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Whose process the server is: it refuses to be root's, so root starts it as nobody's. */
final class ServerAccount {
  private static final int NOBODY = 65534;

  private ServerAccount() {}

  private static boolean isOther() throws IOException {
    return (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid") == 0;
  }

  /** What goes before a command so that it is not root's. */
  static List<String> prefix() throws IOException {
    return isOther()
        ? List.of("setpriv", "--reuid=" + NOBODY, "--regid=" + NOBODY, "--clear-groups")
        : List.of();
  }

  /** Makes a folder, or takes one that is there, and gives it to the server. */
  static Path owned(Path folder) throws IOException {
    Files.createDirectories(folder);
    give(folder);
    return folder;
  }

  static void give(Path path) throws IOException {
    if (isOther()) {
      Files.setAttribute(path, "unix:uid", NOBODY);
      Files.setAttribute(path, "unix:gid", NOBODY);
    }
  }

  /** Lets the server pass through a folder of ours. */
  static void admit(Path folder) throws IOException {
    if (isOther()) {
      Set<PosixFilePermission> permissions = EnumSet.copyOf(Files.getPosixFilePermissions(folder));
      permissions.add(PosixFilePermission.OTHERS_EXECUTE);
      Files.setPosixFilePermissions(folder, permissions);
    }
  }

  /**
   * Checks that the server can get to a folder.
   *
   * @param option that named it
   * @throws UserError if a folder above is closed to it
   */
  static void requireWay(String option, Path folder) throws UserError, IOException {
    if (!isOther()) {
      return;
    }
    for (Path above = folder.toRealPath(); above != null; above = above.getParent()) {
      if (!Files.getPosixFilePermissions(above).contains(PosixFilePermission.OTHERS_EXECUTE)) {
        throw new UserError(
            option
                + " "
                + folder
                + " cannot be reached by the server, which runs as nobody since it refuses root: "
                + above
                + " is closed to others; name a folder elsewhere");
      }
    }
  }
}
