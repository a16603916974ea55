/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.harness;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Servers that are a few lines for a shell. */
class ServerProcessTest {
  private static final String TELL = "echo 127.0.0.1:4711 > new; mv new http.ports; ";
  private static final Duration LONG = Duration.ofSeconds(60);

  @TempDir private Path logs;

  private static ServerProcess launch(Path logs, String script) throws IOException {
    return ServerProcess.launch(
        new ProcessBuilder("sh", "-c", script).directory(logs.toFile()), logs);
  }

  private static boolean isAlive(long pid) {
    return ProcessHandle.of(pid).isPresent();
  }

  @Test
  void tellsItsPortAndEndsWhenItIsAskedTo() throws Exception {
    Files.writeString(logs.resolve("http.ports"), "127.0.0.1:1\n"); // That of one before.
    ServerProcess server = launch(logs, "sleep 0.3; " + TELL + "exec sleep 600");
    assertEquals(4711, server.awaitPort());
    assertTrue(server.stop(LONG));
    assertFalse(isAlive(server.pid()));
  }

  @Test
  void isMadeToEndWhereItDoesNot() throws Exception {
    ServerProcess server = launch(logs, "trap '' TERM; " + TELL + "while true; do sleep 0.1; done");
    server.awaitPort();
    assertFalse(server.stop(Duration.ofMillis(300)));
    assertFalse(isAlive(server.pid()));
  }

  @Test
  void saysWhyItDoesNotStart() throws Exception {
    ServerProcess server = launch(logs, "echo it is broken >&2; exit 3");
    IOException e = assertThrows(IOException.class, server::awaited);
    assertTrue(e.getMessage().contains("3: it is broken"), e.getMessage());
  }

  @Test
  void endsWithThisJvm() throws Exception {
    Process jvm =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty(
                    "surefire.test.class.path", System.getProperty("java.class.path")),
                Launcher.class.getName(),
                logs.toString())
            .start();
    String pid = new String(jvm.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertTrue(jvm.waitFor(LONG.toSeconds(), TimeUnit.SECONDS));
    assertFalse(isAlive(Long.parseLong(pid.strip())), pid);
  }

  /** Starts a server, names its process, and ends without another word. */
  static final class Launcher {
    private Launcher() {}

    public static void main(String[] args) throws IOException {
      System.out.println(launch(Path.of(args[0]), "exec sleep 600").pid());
      System.exit(0);
    }
  }
}
