/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.harness;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What root gives to nobody; it is skipped for others, and in a folder where only root can go. */
class AccountTest {

  private static int write(Path file) throws Exception {
    List<String> command = new ArrayList<>(Account.prefix());
    command.addAll(List.of("sh", "-c", "echo > " + file));
    return new ProcessBuilder(command).start().waitFor();
  }

  @Test
  void serverWritesWhereItMayAndNowhereElse(@TempDir Path temp) throws Exception {
    assumeFalse(Account.prefix().isEmpty(), "needs root");
    Path home = temp.resolve("home");
    Path below = Files.createDirectories(home.resolve("logs/old"));
    Files.createDirectories(home.resolve("lib"));
    // JUnit's folder is closed to others, and two above this one.
    IOException e = assertThrows(IOException.class, () -> Account.give(below));
    assertTrue(e.getMessage().contains(" " + temp + " is closed"), e.getMessage());
    try {
      Account.give(home, "logs");
    } catch (IOException above) {
      assumeFalse(above.getMessage().contains("is closed"), above.getMessage());
    }
    assertEquals(0, write(below.resolve("file")));
    assertTrue(write(home.resolve("lib/file")) != 0 && write(home.resolve("file")) != 0);
  }
}
