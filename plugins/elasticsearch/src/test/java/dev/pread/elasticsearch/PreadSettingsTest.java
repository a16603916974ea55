/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.elasticsearch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
  private static final CacheSize OF_16_GIB = new CacheSize(16 * GIB);

  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "0b, 0",
    "64kb, 65536",
    "4gb, 4294967296",
    "16gb, 17179869184",
    "100%, 17179869184",
    "25%, 4294967296",
    "12.5%, 2147483648",
    "0%, 0",
  })
  void sizesAsUsersWriteThem(String text, long bytes) {
    assertEquals(bytes, OF_16_GIB.parse("pread.cache.size", text));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "-1", "-1gb", "4", "63kb", "17gb", "101%", "-1%", "x%", "NaN%", "%"})
  void refusesSizesNamingTheRange(String text) {
    IllegalArgumentException refused =
        assertThrows(
            IllegalArgumentException.class, () -> OF_16_GIB.parse("pread.cache.size", text));
    assertTrue(
        refused
            .getMessage()
            .contains("failed to parse value [" + text + "] for setting [pread.cache.size]: use 0"),
        refused::getMessage);
    assertTrue(
        refused.getMessage().contains("from 65536 bytes (64kb) to 17179869184 bytes (16gb)"),
        refused::getMessage);
  }

  @Test
  void refusesAPercentageOfWhatIsNotKnown() {
    IllegalArgumentException refused =
        assertThrows(
            IllegalArgumentException.class,
            () -> new CacheSize(0).parse("pread.cache.size", "50%"));
    assertTrue(
        refused
            .getMessage()
            .endsWith(
                "use 0 for no cache, or a size of at least 64kb, such as 4gb"
                    + " (the memory of this machine is not known: give bytes)"),
        refused::getMessage);
    assertEquals(20 * GIB, new CacheSize(0).parse("pread.cache.size", "20gb"));
  }

  @ParameterizedTest
  @CsvSource({"0, 67108864", "65536, 65536", "16777216, 8388608", "1073741824, 134217728"})
  void defaultIsAnEighth(long available, long bytes) {
    assertEquals(bytes, new CacheSize(available).defaultBytes());
  }

  @Test
  void defaultIsAtMostAGigabyte() {
    assertEquals(GIB, OF_16_GIB.defaultBytes());
  }

  @Test
  void defaults() {
    PreadSettings settings = PreadSettings.of(Settings.EMPTY);
    assertEquals(16 << 10, settings.blockSize());
    assertEquals("auto", settings.backend());
    assertEquals(CacheSize.ofThisProcess().defaultBytes(), settings.cacheSize());
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
