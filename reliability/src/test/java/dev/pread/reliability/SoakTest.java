/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.reliability;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.Fixtures;
import dev.pread.reliability.SoakFiles.OpenFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FSDirectory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Weeks of load in minutes: see {@link Soak}. */
class SoakTest {

  private static final int THREADS = 16;
  private static final int[] SLOTS = {64, 256, 1024, 4096};
  private static final List<String> BACKENDS = List.of("ffm", "jni", "channel");

  @TempDir Path folder;

  @Test
  void noByteIsEverWrong() throws Exception {
    long all = Campaign.size(100_000_000, 200_000_000, 10_000_000_000L);
    long first = Long.getLong("dev.pread.test.seed", System.nanoTime());
    int rounds = (int) Campaign.size(8, 8, 200);
    long done = 0;
    AtomicLong givenBack = new AtomicLong();
    for (int round = 0; round < rounds; round++) {
      long seed = first + round;
      // The slow backend every eighth time: it has the same cache.
      String backend = BACKENDS.get(round % 8 == 7 ? 2 : round % 2);
      int slots = SLOTS[(round + round / SLOTS.length) % SLOTS.length];
      Path own = Files.createTempDirectory(folder, "soak");
      Soak soak = new Soak(own, seed, backend, round % 4 >= 2, slots, THREADS);
      done += soak.run(all / rounds, givenBack);
      System.out.println(
          done + " reads checked, " + (givenBack.get() >> 20) + " MiB given back: " + soak);
    }
    assertTrue(done >= all, "" + done);
    assertTrue(givenBack.get() > 0, "no cache has become smaller");
  }

  /** One byte on disk is not what was written: it is found, and told. */
  @Test
  void aWrongByteIsFoundAndTold() throws Exception {
    try (Directory plain = FSDirectory.open(folder);
        SoakFiles files = new SoakFiles(plain, 5)) {
      OpenFile file = files.any(new Random(1));
      SoakReader reader = new SoakReader(new Random(2));
      for (int i = 0; i < 100; i++) {
        long ignored = reader.read(file);
      }
      Path onDisk = folder.resolve(file.name());
      byte[] bytes = Files.readAllBytes(onDisk);
      bytes[bytes.length / 2] ^= 1;
      Files.write(onDisk, bytes);
      SoakReader.WrongByteException e =
          assertThrows(SoakReader.WrongByteException.class, () -> readOften(reader, file));
      assertTrue(e.getMessage().contains(file.name()), e.getMessage());
    }
    assertTrue(Fixtures.descriptorsIn(folder) == 0);
  }

  private static void readOften(SoakReader reader, OpenFile file) throws Exception {
    for (int i = 0; i < 100_000; i++) {
      long ignored = reader.read(file);
    }
  }
}
