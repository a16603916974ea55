/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.warm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import dev.pread.BackendTestCase;
import dev.pread.cache.BlockRuns;
import dev.pread.cache.CacheFixtures.TestMemory;
import dev.pread.cache.CacheFixtures.TestSource;
import dev.pread.cache.CachedFile;
import dev.pread.cache.HotBlocks.Note;
import dev.pread.cache.SlotCache;
import dev.pread.posix.FaultSystemCalls.Function;
import dev.pread.posix.OpenMode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

/** A list on disk, the cache that writes it, a backend that can fail, and what the log says. */
@Timeout(120)
abstract class HotListTestCase extends BackendTestCase {

  static final int BITS = 12;
  static final int BLOCK = 1 << BITS;
  static final long NO_SAVE_MILLIS = TimeUnit.DAYS.toMillis(1);

  final TestSource source = new TestSource(1, 100L << BITS);
  final Logger logger = Logger.getLogger(HotList.class.getName());
  final ConcurrentLinkedQueue<String> logged = new ConcurrentLinkedQueue<>();

  @BeforeEach
  void listen() {
    logger.setFilter(
        said -> {
          logged.add(said.getLevel() + ": " + said.getMessage());
          return false;
        });
  }

  @AfterEach
  void stopListening() {
    logger.setFilter(null);
  }

  static SlotCache cache() {
    return new SlotCache(
        64L << BITS, BITS, new TestMemory(64 << BITS, 64 << BITS, Integer.MAX_VALUE));
  }

  HotList open(SlotCache cache) {
    return HotList.open(folder, cache, backend, NO_SAVE_MILLIS);
  }

  CachedFile load(SlotCache cache, int block) throws IOException {
    CachedFile file = cache.files().open("key", "/f", 100L << BITS, 7);
    assertNotNull(file.load(block, 1, source));
    return file;
  }

  Path list() {
    return folder.resolve("hot-blocks");
  }

  List<String> paths() throws IOException {
    return HotListFormat.decode(BLOCK, Files.readAllBytes(list())).stream()
        .map(Note::path)
        .toList();
  }

  Set<String> files() throws IOException {
    return files(folder);
  }

  static Set<String> files(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(file -> file.getFileName().toString()).collect(Collectors.toSet());
    }
  }

  static byte[] someList(int version) {
    Note note = new Note("/f", 100L << BITS, 7, BlockRuns.ofBytes(new byte[] {5, 2}));
    byte[] list = HotListFormat.encode(BLOCK, List.of(note));
    list[11] = (byte) version;
    return list;
  }

  String onlyLine() {
    assertEquals(1, logged.size(), logged.toString());
    return logged.peek();
  }

  long created() {
    return faults.calls(Function.OPEN).stream()
        .filter(call -> call.argument() == OpenMode.CREATE)
        .count();
  }
}
