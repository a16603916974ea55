/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.harness;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What root gives to nobody; it is skipped for others. */
class AccountTest {
  private Path folder;
  private Path home;

  @BeforeEach
  void makeHome() throws IOException {
    assumeFalse(Account.prefix().isEmpty(), "needs root");
    // The build's folder may be where only root can go.
    folder = Files.createTempDirectory(Path.of("/tmp"), "account-");
    home = Files.createDirectories(folder.resolve("home"));
    Files.createDirectories(home.resolve("logs/old"));
    Files.createDirectories(home.resolve("lib"));
  }

  @AfterEach
  void removeHome() throws Exception {
    if (folder != null) {
      new ProcessBuilder("rm", "-r", folder.toString()).start().waitFor();
    }
  }

  private int write(String file) throws Exception {
    List<String> command = new ArrayList<>(Account.prefix());
    command.addAll(List.of("sh", "-c", "echo > " + home.resolve(file)));
    return new ProcessBuilder(command).start().waitFor();
  }

  @Test
  void writesWhereItMayAndNowhereElse() throws Exception {
    Account.give(home, "logs");
    assertEquals(0, write("logs/old/file"));
    assertTrue(write("lib/file") != 0 && write("file") != 0);
  }

  @Test
  void closedFolderIsNamed() throws Exception {
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
    Path below = Files.createDirectories(home.resolve("logs/old"));
    IOException e = assertThrows(IOException.class, () -> Account.give(below));
    assertTrue(e.getMessage().contains(" " + folder + " is closed"), e.getMessage());
  }
}
