/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.elasticsearch;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OpenDirectoriesTest {

  @ParameterizedTest
  @CsvSource({"0, 0, none", "2, 0, yes", "2, 1, partly", "2, 2, no"})
  void saysWhetherDirectIoIsInUse(int direct, int fellBack, String said) {
    assertEquals(said, new OpenDirectories.Stats(1, direct, fellBack).directIo());
  }
}
