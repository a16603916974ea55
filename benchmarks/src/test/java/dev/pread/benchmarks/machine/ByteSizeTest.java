/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import picocli.CommandLine.TypeConversionException;

/** Sizes as people write and read them. */
class ByteSizeTest {
  private final ByteSize sizes = new ByteSize();

  @Test
  void unitsArePowersOf1024() {
    assertEquals(4096, sizes.convert("4096"));
    assertEquals(64 << 10, sizes.convert("64k"));
    assertEquals(512 << 20, sizes.convert(" 512M"));
    assertEquals(3L << 30, sizes.convert("3GiB"));
    assertEquals(2L << 40, sizes.convert("2tb"));
    assertEquals(0, sizes.convert("0"));
  }

  @Test
  void everythingElseIsRefused() {
    for (String text : new String[] {"", "m", "-1", "1.5g", "1x", "12 m", "99999999999999t"}) {
      assertThrows(TypeConversionException.class, () -> sizes.convert(text), text);
    }
  }

  @Test
  void printedInTheLargestUnit() {
    assertEquals("512 bytes", ByteSize.format(512));
    assertEquals("1 GiB", ByteSize.format(1L << 30));
    assertEquals("1.5 MiB", ByteSize.format(3L << 19));
    assertEquals("300 KiB", ByteSize.format(300 << 10));
  }
}
