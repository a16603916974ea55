/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Options that several commands check alike, through a command that has each. */
class ChecksTest {

  @ParameterizedTest
  @CsvSource({
    "native, --file-size",
    "output, --file-size",
    "streams, --file-size",
    "safepoints, --cold-file-size"
  })
  void filesAreMultiplesOfOneMebibyte(String command, String option) {
    for (String length : new String[] {"0", "4k", "1048577"}) {
      Cli cli = Cli.run(command, option, length);
      assertEquals(ExitCode.USAGE, cli.code(), cli.err());
      assertTrue(cli.err().contains(option + " is "), cli.err());
      assertTrue(cli.err().contains("must be a multiple of 1m"), cli.err());
    }
  }

  @Test
  void lengthsThatAreNotNamedHaveADefault() throws UserError {
    assertEquals(3 << 20, Checks.fileLength("--file-size", null, 3 << 20));
    assertEquals(1 << 20, Checks.fileLength("--file-size", 1L << 20, 3 << 20));
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "-1"})
  void roundsArePositive(String rounds) {
    Cli cli = Cli.run("output", "--rounds", rounds);
    assertEquals(ExitCode.USAGE, cli.code(), cli.err());
    assertTrue(cli.err().contains("must be greater than 0"), cli.err());
  }
}
