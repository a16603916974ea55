/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.posix.BackendRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.lucene.store.FSLockFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The system property, as a process meets it that is started with it: it is read once. */
class BackendPropertyTest {

  private static final String FALLBACK = "reads go through java.nio FileChannel";

  @TempDir Path folder;

  /** Opens some directories and says what came of it. */
  public static final class Probe {

    private Probe() {}

    /** Takes the folder for the directories. */
    public static void main(String[] args) throws IOException {
      Path folder = Path.of(args[0]);
      for (int i = 0; i < 3; i++) {
        try (PreadDirectory directory =
            i == 0
                ? new PreadDirectory(folder)
                : new PreadDirectory(folder, FSLockFactory.getDefault())) {
          System.out.println("RESULT " + directory.backendName());
        } catch (IllegalArgumentException | IllegalStateException e) {
          System.out.println("RESULT " + e.getClass().getSimpleName() + ": " + e.getMessage());
        }
      }
    }
  }

  private record Output(List<String> results, String all) {}

  private Output run(String... options) throws Exception {
    List<String> all = new ArrayList<>(List.of("--enable-native-access=ALL-UNNAMED"));
    all.addAll(List.of(options));
    String output = BackendJvm.run(Map.of(), all, Probe.class, folder.toString());
    return new Output(
        output.lines().filter(l -> l.startsWith("RESULT ")).map(l -> l.substring(7)).toList(),
        output);
  }

  @Test
  void anUnknownNameIsRefusedEachTimeWithTheNamesThereAre() throws Exception {
    Output output = run("-Ddev.pread.backend=mmap");
    String expected =
        "IllegalArgumentException: unknown backend \"mmap\" from -Ddev.pread.backend: use auto or"
            + " one of [ffm, jni, channel]";
    assertEquals(List.of(expected, expected, expected), output.results(), output.all());
  }

  @Test
  void aBackendThatIsNotHereIsRefusedEachTimeWithTheReason() throws Exception {
    String missing = Fixtures.missingBackend();
    Output output = run("-Ddev.pread.backend=" + missing);
    String expected =
        "IllegalStateException: backend "
            + missing
            + " from -Ddev.pread.backend is not available: lucene-pread-"
            + (missing.equals("ffm") ? "ffi" : missing)
            + " is not on the class path";
    assertEquals(List.of(expected, expected, expected), output.results(), output.all());
  }

  @Test
  void withoutItTheBestIsChosenAndTheFallbackSaysSoOnce() throws Exception {
    Output output = run();
    String best = BackendRegistry.get(BackendRegistry.AUTO).calls().name();
    assertEquals(List.of(best, best, best), output.results(), output.all());
    int said = output.all().split(FALLBACK, -1).length - 1;
    assertEquals(best.equals("channel") ? 1 : 0, said, output.all());
    if (said == 1) {
      assertTrue(output.all().contains("lucene-pread-ffi"), output.all());
      assertTrue(output.all().contains("lucene-pread-jni"), output.all());
      assertTrue(output.all().contains("--enable-native-access=ALL-UNNAMED"), output.all());
      assertTrue(output.all().contains("-Ddev.pread.backend=channel"), output.all());
    }
  }

  @Test
  void channelByNameIsNoFallback() throws Exception {
    Output output = run("-Ddev.pread.backend=channel");
    assertEquals(List.of("channel", "channel", "channel"), output.results(), output.all());
    assertFalse(output.all().contains(FALLBACK), output.all());
  }
}
