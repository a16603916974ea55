/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.warm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.Fixtures;
import dev.pread.cache.BlockRuns;
import dev.pread.cache.HotBlocks.Note;
import dev.pread.posix.Backend;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A process that writes lists without end is killed at any moment. */
@Timeout(120)
class KilledHotListTest {

  private static final int BLOCK = 4096;
  private static final int ROUNDS = 5;
  private static final int LONGEST_LIFE_MILLIS = 50;
  private static final String WROTE_PREFIX = "wrote ";

  /** What the process runs; the argument is a folder. It ends with its parent, too. */
  public static void main(String[] args) throws IOException {
    HotListFile file = HotListFile.open(Fixtures.backend(), Path.of(args[0]));
    for (int i = 0; !System.out.checkError(); i++) {
      file.write(HotListFormat.encode(BLOCK, notes(i)));
      System.out.println(WROTE_PREFIX + i);
      System.out.flush();
    }
  }

  /** Notes that differ, and are as many bytes as several writes take. */
  private static List<Note> notes(int number) {
    List<Note> notes = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      notes.add(new Note("/f" + i, number, i, BlockRuns.ofBytes(new byte[2000])));
    }
    return notes;
  }

  private static Process start(Path folder) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-Xmx64m",
            "--enable-native-access=ALL-UNNAMED",
            "-Ddev.pread.backend=" + Fixtures.backend().calls().name(),
            "-cp",
            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
            KilledHotListTest.class.getName(),
            folder.toString())
        .redirectErrorStream(true)
        .start();
  }

  @Test
  void theListIsWholeAndAsNewAsWasSaid(@TempDir Path folder) throws Exception {
    SplittableRandom random = new SplittableRandom(Fixtures.SEED);
    Backend backend = Fixtures.backend();
    for (int round = 0; round < ROUNDS; round++) {
      Process child = start(folder);
      int last = -1;
      try (BufferedReader lines = child.inputReader()) {
        String line = lines.readLine();
        assertTrue(line != null && line.startsWith(WROTE_PREFIX), line);
        FileSystemException refused =
            Assertions.assertThrows(
                FileSystemException.class, () -> HotListFile.open(backend, folder));
        Fixtures.assertNames(refused.getReason(), HotListFile.ANOTHER_PROCESS);
        Thread.sleep(random.nextInt(LONGEST_LIFE_MILLIS));
        child.toHandle().destroyForcibly();
        while (line != null) {
          last =
              line.startsWith(WROTE_PREFIX)
                  ? Integer.parseInt(line.substring(WROTE_PREFIX.length()))
                  : last;
          line = lines.readLine();
        }
      } finally {
        child.destroyForcibly().waitFor();
      }
      try (HotListFile file = HotListFile.open(backend, folder)) {
        List<Note> notes = HotListFormat.decode(BLOCK, file.read());
        assertEquals(100, notes.size());
        long number = notes.get(0).length();
        assertTrue(number == last || number == last + 1, number + " after " + last);
        file.write(HotListFormat.encode(BLOCK, List.of()));
        assertFalse(Files.exists(folder.resolve("hot-blocks.next")));
      }
    }
  }
}
