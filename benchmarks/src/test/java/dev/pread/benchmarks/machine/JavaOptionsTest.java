/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.benchmarks.UserError;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Options for the JVMs of single contenders. */
class JavaOptionsTest {
  private static final List<String> NAMES = List.of("mmap", "pread");

  @Test
  void eachGetsItsOwnAfterThoseOfAll() throws UserError {
    JavaOptions options =
        JavaOptions.parse(
            List.of("pread=-Ddev.pread.cache.bytes=900m", "all=-Dx=a=b", "pread=-Xlog:gc"), NAMES);
    assertEquals(
        List.of("-Dx=a=b", "-Ddev.pread.cache.bytes=900m", "-Xlog:gc"), options.of("pread"));
    assertEquals(List.of("-Dx=a=b"), options.of("mmap"));
  }

  @Test
  void othersAreRefused() {
    for (String option : new String[] {"-Dx=1", "pread", "pread=Dx=1", "niofs=-Dx=1", "=-Dx"}) {
      UserError e =
          assertThrows(UserError.class, () -> JavaOptions.parse(List.of(option), NAMES), option);
      assertTrue(e.getMessage().contains("--java-option " + option), e.getMessage());
    }
  }
}
