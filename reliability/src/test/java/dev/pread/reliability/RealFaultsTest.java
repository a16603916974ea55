/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.reliability;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.BlockCache;
import dev.pread.Fixtures;
import dev.pread.PreadConfig;
import dev.pread.posix.BackendRegistry;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.store.Directory;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * File systems that are really full, disks that really fail, and processes that really have no
 * descriptors left: what {@link FaultyCallsTest} says of faults it has made up holds for them.
 */
class RealFaultsTest {

  private static final int MAX_OPERATIONS = 100_000;

  @TempDir Path temp;

  private final NumberedIndex index = new NumberedIndex(Fixtures.SEED);
  private final AtomicLong acknowledged = new AtomicLong();

  private interface Failing {
    void committed(long number) throws IOException;
  }

  /** Works until it fails, and returns the failure. */
  private Throwable work(Path folder, String backend, boolean direct, Failing then)
      throws Exception {
    PreadConfig.Builder config = PreadConfig.builder().backend(backend);
    return Watch.over(
        backend + ", direct=" + direct,
        () -> {
          try (BlockCache cache = new BlockCache(64 << 12, 1 << 12);
              Directory directory = KilledWriter.open(folder, config.cache(cache), direct)) {
            return assertThrows(
                Exception.class,
                () -> index.work(directory, MAX_OPERATIONS, number -> note(number, then)));
          }
        });
  }

  private void note(long number, Failing then) {
    acknowledged.set(number);
    try {
      then.committed(number);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private void goOn(Path folder, String backend, boolean direct) throws Exception {
    assertEquals(0, BackendRegistry.get(backend).openFiles());
    assertEquals(0, Fixtures.descriptorsIn(folder));
    long last = index.check(folder, acknowledged.get());
    PreadConfig.Builder config = PreadConfig.builder().backend(backend);
    try (BlockCache cache = new BlockCache(64 << 12, 1 << 12);
        Directory directory = KilledWriter.open(folder, config.cache(cache), direct)) {
      index.work(directory, 40, acknowledged::set);
      NumberedIndex.checkNothingIsLeftOver(directory);
    }
    assertEquals(last + 40, index.check(folder, acknowledged.get()));
  }

  private static void assertTold(Throwable thrown, Path folder, String errno, String wayOut) {
    if (!NumberedIndex.isTold(thrown, folder, errno + wayOut)) {
      throw new AssertionError(errno + wayOut + " is not told", thrown);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "tmpfs, ffm, false", "tmpfs, jni, false", "tmpfs, channel, false", "ext4, ffm, false",
    "ext4, jni, false", "ext4, channel, false", "tmpfs, ffm, true", "ext4, ffm, true",
    "ext4, jni, true", "ext4, channel, true"
  })
  void aFullDisk(String fileSystem, String backend, boolean direct) throws Exception {
    boolean ext4 = fileSystem.equals("ext4");
    try (SmallDisk disk = ext4 ? SmallDisk.ext4(temp, 16) : SmallDisk.tmpfs(temp, 4)) {
      Path ballast = disk.folder().resolve("ballast");
      Path folder = Files.createDirectory(disk.folder().resolve("index"));
      SplittableRandom random = new SplittableRandom(Fixtures.SEED);
      SmallDisk.fill(ballast);
      try (RandomAccessFile file = new RandomAccessFile(ballast.toFile(), "rw")) {
        file.setLength(file.length() - random.nextInt(100 << 10, 160 << 10));
      }
      Throwable thrown = work(folder, backend, direct, number -> {});
      String text = "ENOSPC (28): No space left on device";
      assertTold(thrown, folder, text, "; free space on the file system");
      index.check(folder, acknowledged.get());
      Files.delete(ballast);
      goOn(folder, backend, direct);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "ffm, false",
    "ffm, true",
    "jni, false",
    "jni, true",
    "channel, false",
    "channel, true"
  })
  void aDiskThatFailsToRead(String backend, boolean direct) throws Exception {
    try (SmallDisk disk = SmallDisk.ext4(temp, 16)) {
      Path folder = Files.createDirectory(disk.folder().resolve("index"));
      PreadConfig.Builder config = PreadConfig.builder().backend(backend);
      byte[] contents;
      // What is in the cache can be read for ever: so it has little.
      try (BlockCache cache = new BlockCache(4 << 12, 1 << 12);
          Directory directory = KilledWriter.open(folder, config.cache(cache), direct)) {
        index.work(directory, 150, acknowledged::set);
        try (DirectoryReader reader = DirectoryReader.open(directory)) {
          contents = disk.cut(folder);
          assertUnreadable(folder, () -> index.checkCommit(reader));
        }
        assertUnreadable(folder, () -> DirectoryReader.open(directory).close());
      }
      assertEquals(0, Fixtures.descriptorsIn(folder));
      disk.replace(contents);
      goOn(folder, backend, direct);
    }
  }

  private static void assertUnreadable(Path folder, Executable reading) throws Exception {
    Throwable thrown = Watch.over("a failing disk", () -> assertThrows(Exception.class, reading));
    assertTold(thrown, folder, "EIO (5): Input/output error", "; the device could not");
  }

  /** A commit that returned after the disk had begun to fail is on it all the same. */
  @ParameterizedTest
  @CsvSource({
    "ffm, false",
    "ffm, true",
    "jni, false",
    "jni, true",
    "channel, false",
    "channel, true"
  })
  void aDiskThatFailsToWrite(String backend, boolean direct) throws Exception {
    try (SmallDisk disk = SmallDisk.ext4(temp, 16)) {
      Path folder = Files.createDirectory(disk.folder().resolve("index"));
      AtomicLong before = new AtomicLong();
      Throwable thrown =
          work(
              folder,
              backend,
              direct,
              number -> {
                if (number > 100 && before.compareAndSet(0, number)) {
                  disk.exhaust();
                }
              });
      assertTold(thrown, folder, "", "");
      assertEquals(0, Fixtures.descriptorsIn(folder));
      disk.replace(null);
      assertTrue(acknowledged.get() >= before.get());
      goOn(folder, backend, direct);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "ffm, false",
    "ffm, true",
    "jni, false",
    "jni, true",
    "channel, false",
    "channel, true"
  })
  void aProcessWithoutDescriptors(String backend, boolean direct) throws Exception {
    Path folder = temp.resolve("index");
    Sandbox.Result child =
        Sandbox.NONE
            .after("ulimit -n 128")
            .java(temp, List.of(), FewDescriptors.class, folder, backend, direct);
    assertEquals(0, child.status(), child.output());
    assertTrue(child.output().contains(FewDescriptors.DONE), child.output());
  }
}
