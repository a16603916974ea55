/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Options that several commands check alike, through a command that has each. */
class ChecksTest {

  @ParameterizedTest
  @CsvSource({"ceiling, --file-size", "streams, --file-size", "safepoints, --cold-file-size"})
  void filesAreMultiplesOfOneMebibyte(String command, String option) {
    for (String length : new String[] {"0", "4k", "1048577"}) {
      Cli.refused("must be a multiple of 1m", command, option, length);
    }
  }

  @Test
  void lengthsThatAreNotNamedHaveADefault() {
    assertEquals(3 << 20, Checks.fileLength("--file-size", null, 3 << 20));
    assertEquals(1 << 20, Checks.fileLength("--file-size", 1L << 20, 3 << 20));
  }

  @Test
  void roundsArePositive() {
    Cli.refused("--rounds is 0.0: it must be greater than 0", "output", "--rounds", 0);
    Cli.refused("must be greater than 0", "output", "--rounds", -1);
  }
}
