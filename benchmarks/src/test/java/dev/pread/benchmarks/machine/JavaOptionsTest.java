/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Options for the JVMs of single contenders. */
class JavaOptionsTest {
  private static JavaOptions parse(String... words) {
    return JavaOptions.parse(List.of(words), List.of("mmap", "pread"));
  }

  @Test
  void eachGetsItsOwnAfterThoseOfAll() {
    JavaOptions options = parse("pread=-Dcache=9", "all=-Dx=a=b", "pread=-Xlog:gc");
    assertEquals(List.of("-Dx=a=b", "-Dcache=9", "-Xlog:gc"), options.of("pread"));
    assertEquals(List.of("-Dx=a=b"), options.of("mmap"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"-Dx=1", "pread", "pread=Dx=1", "niofs=-Dx=1", "=-Dx"})
  void othersAreRefused(String option) {
    assertThrows(UserError.class, () -> parse(option));
  }
}
