/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.elasticsearch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.elasticsearch.common.logging.LogConfigurator;
import org.elasticsearch.common.settings.Settings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PreadSettingsTest {

  static {
    // The server's exceptions can't be made without.
    LogConfigurator.configureESLogging();
  }

  private static final long GIB = 1L << 30;

  /** Of which the heap leaves 16 GiB. */
  private static final CacheSize OF_20_GIB = new CacheSize(20 * GIB, 4 * GIB);

  private static final CacheSize UNKNOWN = new CacheSize(0, 4 * GIB);

  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "0b, 0",
    "64kb, 65536",
    "4gb, 4294967296",
    "16064mb, 16844324864",
    "96.875%, 16642998272",
    "25%, 4294967296",
    "12.5%, 2147483648",
    "0%, 0",
  })
  void sizesAsUsersWriteThem(String text, long bytes) {
    assertEquals(bytes, OF_20_GIB.parse("pread.cache.size", text));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "", "-1", "-1gb", "4", "63kb", "17gb", "16gb", "16065mb", "100%", "99%", "101%", "-1%",
        "x%", "NaN%", "%"
      })
  void refusesSizesNamingTheRange(String text) {
    IllegalArgumentException refused =
        assertThrows(
            IllegalArgumentException.class, () -> OF_20_GIB.parse("pread.cache.size", text));
    assertTrue(
        refused
            .getMessage()
            .contains("failed to parse value [" + text + "] for setting [pread.cache.size]: use 0"),
        refused::getMessage);
    assertTrue(
        refused.getMessage().contains("from 65536 bytes (64kb) to 16844324864 bytes (15.6gb)"),
        refused::getMessage);
    assertTrue(refused.getMessage().contains("0% to 98% of the 16gb"), refused::getMessage);
    assertTrue(
        refused.getMessage().contains("needs 320mb, and 512mb or more are advised"),
        refused::getMessage);
  }

  @ParameterizedTest
  @ValueSource(strings = {"50%", "100%"})
  void refusesAPercentageOfWhatIsNotKnown(String text) {
    IllegalArgumentException refused =
        assertThrows(IllegalArgumentException.class, () -> UNKNOWN.parse("pread.cache.size", text));
    assertTrue(
        refused
            .getMessage()
            .endsWith(
                "use 0 for no cache, or a size of at least 65536 bytes (64kb), such as 4gb"
                    + " (the memory of this machine is not known: give bytes)"),
        refused::getMessage);
    assertEquals(20 * GIB, UNKNOWN.parse("pread.cache.size", "20gb"));
  }

  @ParameterizedTest
  @CsvSource({"0, 8388608", "65536, 8388608", "16777216, 8388608", "1073741824, 134217728"})
  void defaultIsAnEighth(long besideHeap, long bytes) {
    assertEquals(bytes, new CacheSize(GIB + besideHeap, GIB).defaultBytes());
    assertEquals(64L << 20, UNKNOWN.defaultBytes());
  }

  /** A node that is told nothing starts, however small its container is. */
  @Test
  void neverRefusesTheDefault() {
    for (long limit = 64L << 20; limit <= 4 * GIB; limit += 4L << 20) {
      CacheSize size = new CacheSize(limit, 512L << 20);
      assertEquals(size.defaultBytes(), size.parse("pread.cache.size", size.defaultBytes() + "b"));
    }
  }

  @Test
  void tellsWhatIsLeftToTheJvm() {
    assertEquals(
        "of a memory limit of [20gb] the heap [4gb] and the cache leave [1gb] to the JVM itself and"
            + " the page cache; [512mb] or more are advised",
        OF_20_GIB.shares(15 * GIB));
    assertEquals("the memory limit is not known", UNKNOWN.shares(GIB));
  }

  /** The figure in the page is that of the messages. */
  @Test
  void thePageAdvisesWhatTheMessagesDo() throws IOException {
    String page = Files.readString(Path.of("../../docs/elasticsearch.md"));
    assertTrue(page.contains("leave " + (CacheSize.ADVISED >> 20) + " MiB or more"), page);
    assertTrue(page.contains("less than " + (CacheSize.NEEDED >> 20) + " MiB"), page);
  }

  @Test
  void defaultIsAtMostAGigabyte() {
    assertEquals(GIB, OF_20_GIB.defaultBytes());
  }

  @Test
  void defaults() {
    PreadSettings settings = PreadSettings.of(Settings.EMPTY);
    assertEquals(16 << 10, settings.blockSize());
    assertEquals("auto", settings.backend());
    assertEquals(CacheSize.ofThisProcess().defaultBytes(), settings.cacheSize());
  }

  @ParameterizedTest
  @ValueSource(strings = {"100%", "1000tb"})
  void refusesSizesOfANodeThatLeaveNothing(String text) {
    Settings settings = Settings.builder().put("pread.cache.size", text).build();
    IllegalArgumentException refused =
        assertThrows(IllegalArgumentException.class, () -> PreadSettings.of(settings));
    assertTrue(refused.getMessage().contains("[" + text + "]"), refused::getMessage);
    assertTrue(refused.getMessage().contains("use 0 for no cache"), refused::getMessage);
  }

  @ParameterizedTest
  @ValueSource(strings = {"2kb", "5kb", "128kb", "0", "x", ""})
  void refusesBlockSizesNamingTheRange(String text) {
    Settings settings = Settings.builder().put("pread.block.size", text).build();
    IllegalArgumentException refused =
        assertThrows(IllegalArgumentException.class, () -> PreadSettings.of(settings));
    assertTrue(
        refused.getMessage().contains("use a power of two from 4kb to 64kb"), refused::getMessage);
    assertTrue(refused.getMessage().contains("pread.block.size"), refused::getMessage);
  }

  @ParameterizedTest
  @ValueSource(strings = {"mmap", "", "ffi"})
  void refusesBackendsNamingWhatThereIs(String text) {
    Settings settings = Settings.builder().put("pread.backend", text).build();
    IllegalArgumentException refused =
        assertThrows(IllegalArgumentException.class, () -> PreadSettings.of(settings));
    assertTrue(refused.getMessage().contains("[ffm, jni, channel]"), refused::getMessage);
    assertTrue(refused.getMessage().contains("pread.backend"), refused::getMessage);
  }

  @Test
  void takesBlockSizesAndBackends() {
    Settings settings =
        Settings.builder().put("pread.block.size", "64kb").put("pread.backend", "JNI").build();
    assertEquals(64 << 10, PreadSettings.of(settings).blockSize());
    assertEquals("jni", PreadSettings.of(settings).backend());
  }
}
