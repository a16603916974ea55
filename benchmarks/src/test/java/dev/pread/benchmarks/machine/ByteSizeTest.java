/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Sizes as people write and read them. */
class ByteSizeTest {
  @ParameterizedTest
  @CsvSource({
    "500, 500, 500 bytes",
    "1536k, 1572864, 1.5 MiB",
    "' 512M', 536870912, 512 MiB",
    "3GiB, 3221225472, 3 GiB",
    "2tb, 2199023255552, 2 TiB",
  })
  void unitsArePowersOf1024(String text, long bytes, String formatted) {
    assertEquals(bytes, new ByteSize().convert(text));
    assertEquals(formatted, ByteSize.format(bytes));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "m", "-1", "1.5g", "1x", "12 m", "99999999999999t"})
  void everythingElseIsRefused(String text) {
    assertThrows(RuntimeException.class, () -> new ByteSize().convert(text));
  }
}
