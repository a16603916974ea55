/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.posix.ProcessLimits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.lucene.store.Directory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the system properties of the caches that are shared accept, and what they say if not. */
class DefaultCachesTest {

  private static final String SIZE = DefaultCaches.BUFFERED_PROPERTY;
  private static final String DIRECT_SIZE = DefaultCaches.DIRECT_PROPERTY;
  private static final String BLOCK_SIZE = DefaultCaches.BLOCK_SIZE_PROPERTY;

  private static final String QUEUE_DEPTH = DefaultCaches.QUEUE_DEPTH_PROPERTY;

  @TempDir Path folder;

  private final String sizeBefore = System.getProperty(SIZE);
  private final String directSizeBefore = System.getProperty(DIRECT_SIZE);
  private final String blockSizeBefore = System.getProperty(BLOCK_SIZE);

  private final String queueDepthBefore = System.getProperty(QUEUE_DEPTH);

  @AfterEach
  void restore() {
    set(QUEUE_DEPTH, queueDepthBefore);
    set(SIZE, sizeBefore);
    set(DIRECT_SIZE, directSizeBefore);
    set(BLOCK_SIZE, blockSizeBefore);
  }

  private static void set(String property, String value) {
    if (value == null) {
      System.clearProperty(property);
    } else {
      System.setProperty(property, value);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "0g, 0",
    "1, 1",
    "4096, 4096",
    "7760k, 7946240",
    "7760K, 7946240",
    "64m, 67108864",
    "4g, 4294967296",
    "' 4G ', 4294967296",
    "9223372036854775807, 9223372036854775807",
    "8589934591g, 9223372035781033984"
  })
  void sizes(String text, long bytes) {
    assertEquals(bytes, DefaultCaches.parse(SIZE, text));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "k",
        "nonsense",
        "4gb",
        "4t",
        "4 g",
        "1.5g",
        "0x10",
        "-1",
        "-4g",
        "g4",
        "4,000",
        "9223372036854775808",
        "8589934592g"
      })
  void whatIsNoSize(String text) {
    for (String property : List.of(SIZE, DIRECT_SIZE, BLOCK_SIZE)) {
      IllegalArgumentException e =
          assertThrows(IllegalArgumentException.class, () -> DefaultCaches.parse(property, text));
      assertEquals(
          "-D"
              + property
              + "="
              + text
              + " is no size: use bytes, or a number with k, m or g, such as "
              + (property.equals(BLOCK_SIZE) ? "16k" : "512m, 0 for no cache"),
          e.getMessage());
    }
  }

  private static void check(long size, int blockSize) {
    try (BlockCache cache = DefaultCaches.make(SIZE)) {
      assertEquals(size, cache.size());
      assertEquals(blockSize, cache.blockSize());
      assertFalse(cache.isElastic());
    }
  }

  @Test
  void cachesAreMadeOfWhatThePropertiesSay() {
    set(SIZE, "7760k");
    set(BLOCK_SIZE, null);
    check(7760 << 10, 16 << 10);
    set(BLOCK_SIZE, "4k");
    check(7760 << 10, 4 << 10);
    set(BLOCK_SIZE, "65536");
    check(7760 << 10, 64 << 10);
    set(SIZE, "64k");
    check(64 << 10, 64 << 10);
    set(SIZE, "0");
    check(0, 0);
    set(SIZE, Long.toString(ProcessLimits.memory()));
    check(ProcessLimits.memory(), 64 << 10);
  }

  @Test
  void withoutASizeTheyAreElasticWhereTheyCanBe() {
    for (String property : List.of(SIZE, DIRECT_SIZE)) {
      set(property, null);
      set(BLOCK_SIZE, "4k");
      try (BlockCache cache = DefaultCaches.make(property)) {
        assertEquals(4096, cache.blockSize());
        assertEquals(Fixtures.backend().calls().mapIsLazy(), cache.isElastic());
        if (!cache.isElastic()) {
          long heap = Runtime.getRuntime().maxMemory();
          long size =
              CacheSizes.defaultSize(ProcessLimits.memory(), heap, ProcessLimits.directMemory());
          assertEquals(size, cache.size());
        }
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "9223372036854775807, 100, 9223372036854775807, 67108864",
    "1000000, 2000000, 9223372036854775807, 8388608",
    "67108864, 0, 9223372036854775807, 8388608",
    "80000000, 0, 9223372036854775807, 10000000",
    "9663676416, 1073741824, 9223372036854775807, 1073741824",
    "99663676416, 1073741824, 9223372036854775807, 1073741824",
    "99663676416, 268435456, 268435456, 67108864",
    "80000000, 0, 4194304, 1048576",
  })
  void theDefaultSizeFollowsFromMemoryAndHeap(long memory, long heap, long direct, long size) {
    assertEquals(size, CacheSizes.defaultSize(memory, heap, direct));
  }

  /** Whoever is the one that does not know it, the JVM or the governor. */
  @Test
  void inUnknownMemoryNoMinMakesItLarger() {
    long gib = 1L << 30;
    assertEquals(
        64L << 20, CacheSizes.lastingSize(2 * gib, ProcessLimits.UNKNOWN, gib, Long.MAX_VALUE));
    assertEquals(
        1L << 20, CacheSizes.lastingSize(2 * gib, ProcessLimits.UNKNOWN, 1L << 20, Long.MAX_VALUE));
    long memory = Runtime.getRuntime().maxMemory() + 8 * gib;
    assertEquals(
        2 * gib,
        CacheSizes.lastingSize(2 * gib, memory, Long.MAX_VALUE, gib),
        "half of it would be safe");
  }

  @Test
  void theDepthOfTheirQueuesIsThatOfTheProperty() {
    for (String size : new String[] {null, "64m"}) {
      set(SIZE, size);
      for (String depth : new String[] {null, "0", "1", " 64", "1024"}) {
        set(QUEUE_DEPTH, depth);
        try (BlockCache cache = DefaultCaches.make(SIZE)) {
          int expected = depth == null ? 128 : Integer.parseInt(depth.trim());
          assertEquals(expected, cache.slots().queues().depth());
        }
      }
      for (String depth : List.of("", "-1", "1025", "16k", "4294967297", "many")) {
        set(QUEUE_DEPTH, depth);
        refuses(
            "-D"
                + QUEUE_DEPTH
                + "="
                + depth
                + ": use 0 for threads instead of queues, or from 1 to 1024 reads at the same"
                + " time");
      }
    }
  }

  private static void refuses(String message) {
    IllegalArgumentException e =
        assertThrows(IllegalArgumentException.class, () -> DefaultCaches.make(SIZE));
    assertEquals(message, e.getMessage());
  }

  @Test
  void whatCantBeUsedIsRefusedByTheNameOfItsProperty() {
    String range =
        " (one block) to "
            + ProcessLimits.memory()
            + " bytes, the memory this process may use; the heap (-Xmx) needs its part of it";
    set(BLOCK_SIZE, null);
    for (String size :
        List.of("1", "16383", "1000000g", Long.toString(ProcessLimits.memory() + 1))) {
      set(SIZE, size);
      refuses("-D" + SIZE + "=" + size + ": use 0 for no cache, or from 16384" + range);
    }
    set(BLOCK_SIZE, "64k");
    set(SIZE, "32k");
    refuses("-D" + SIZE + "=32k: use 0 for no cache, or from 65536" + range);
    for (String size : List.of("0", "64m")) {
      set(SIZE, size);
      for (String blockSize : List.of("0", "1", "2k", "5000", "12k", "128k", "4g", "8589934591g")) {
        set(BLOCK_SIZE, blockSize);
        refuses(
            "-D"
                + BLOCK_SIZE
                + "="
                + blockSize
                + ": use a power of two from 4096 to 65536 (bytes)");
      }
    }
  }

  /** This runs in a process of its own, where nobody has asked for the shared caches before. */
  @ParameterizedTest
  @CsvSource({
    SIZE_NONSENSE,
    "PreadDirectory, dev.pread.cache.bytes, -1, is no size: use bytes",
    "PreadDirectory, dev.pread.cache.bytes, 1000000g, use 0 for no cache",
    "DirectPreadDirectory, dev.pread.direct.cache.bytes, 1000000g, use 0 for no cache",
    "Directory, dev.pread.cache.block.bytes, 5000, use a power of two from 4096 to 65536"
  })
  void directoriesSayItEveryTimeAndWorkOnceItIsCorrected(
      String refusing, String property, String value, String reason) throws Exception {
    String output =
        BackendJvm.run(
            Map.of(),
            List.of("-Xmx64m", "-D" + property + "=" + value, "-Ddev.pread.backend=channel"),
            Opens.class,
            folder.resolve("index").toString(),
            property);
    List<String> lines = output.lines().filter(l -> l.startsWith("> ")).toList();
    List<String> kinds = List.of("> PreadDirectory", "> DirectPreadDirectory");
    assertEquals(6, lines.size(), output);
    for (int i = 0; i < 4; i++) {
      String line = lines.get(i);
      String kind = kinds.get(i % 2);
      // One kind refuses, or both do.
      if (kind.equals("> " + refusing) || refusing.equals("Directory")) {
        assertTrue(
            line.startsWith("> java.lang.IllegalArgumentException: -D" + property + "=" + value),
            line);
        assertTrue(line.contains(reason), line);
      } else {
        assertEquals(kind, line);
      }
    }
    assertEquals(kinds, lines.subList(4, 6));
  }

  private static final String SIZE_NONSENSE =
      "PreadDirectory, dev.pread.cache.bytes, nonsense,"
          + " 'is no size: use bytes, or a number with k, m or g'";

  /** Opens each kind of directory twice, corrects the property, and opens them once more. */
  static final class Opens {

    private Opens() {}

    /** Its lines begin with an arrow, to be told from what is logged. */
    public static void main(String[] args) throws IOException {
      for (int i = 0; i < 3; i++) {
        if (i == 2) {
          System.setProperty(args[1], "16k");
        }
        for (boolean direct : new boolean[] {false, true}) {
          Path path = Path.of(args[0] + direct);
          try (Directory directory =
              direct ? new DirectPreadDirectory(path) : new PreadDirectory(path)) {
            say(directory.getClass().getSimpleName());
          } catch (IllegalArgumentException | LinkageError e) {
            say(e.toString());
            if (Files.exists(path)) {
              say("a refused directory has made its folder");
            }
          }
        }
      }
    }

    @SuppressWarnings("SystemOut") // That is how it answers.
    private static void say(String text) {
      System.out.println("> " + text);
    }
  }

  @Test
  void directoriesOfAKindShareOne() throws IOException {
    try (PreadDirectory one = new PreadDirectory(folder);
        PreadDirectory two = new PreadDirectory(folder);
        DirectPreadDirectory direct = new DirectPreadDirectory(folder)) {
      assertSame(one.cache(), two.cache());
      assertSame(DefaultCaches.buffered(), one.cache());
      assertSame(DefaultCaches.direct(), direct.cache());
      assertFalse(one.cache() == direct.cache());
    }
    assertFalse(DefaultCaches.buffered().isClosed());
  }

  /** One who has got hold of it, by {@code directory.cache()}, may close it. */
  @Test
  void oneThatIsClosedIsHandedOutNoMore() throws IOException {
    try (PreadDirectory one = new PreadDirectory(folder);
        DirectPreadDirectory direct = new DirectPreadDirectory(folder)) {
      one.cache().close();
      direct.cache().close();
      try (PreadDirectory two = new PreadDirectory(folder);
          DirectPreadDirectory other = new DirectPreadDirectory(folder)) {
        assertFalse(two.cache().isClosed());
        assertFalse(other.cache().isClosed());
        assertSame(DefaultCaches.buffered(), two.cache());
        assertSame(DefaultCaches.direct(), other.cache());
      }
    }
  }
}
