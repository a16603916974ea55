/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** When a directory counts as warm. */
class ColdCurveTest {

  private static ColdCurve curve(long... reads) {
    List<Long> list = new ArrayList<>();
    for (long read : reads) {
      list.add(read);
    }
    list.addAll(Collections.nCopies(30, 1_000L));
    return new ColdCurve(list);
  }

  @Test
  void warmIsTheFirstOfThreeInARow() {
    ColdCurve curve = curve(10, 1_000, 1_000, 500, 899, 900, 1_100, 950);
    assertEquals(10, curve.warmRate());
    assertEquals(0.1, curve.rate(0));
    assertEquals(0.6, curve.secondsToWarm(), 1e-9);
    assertFalse(curve.rising());
  }

  @Test
  void warmFromTheStart() {
    assertEquals(0.1, curve().secondsToWarm(), 1e-9);
    assertEquals(0.1, new ColdCurve(List.of(5L)).secondsToWarm(), 1e-9);
  }

  @Test
  void endThatStillRisesIsSaid() {
    List<Long> reads = new ArrayList<>();
    for (long i = 1; i <= 50; i++) {
      reads.add(i * i * i * i);
    }
    assertTrue(new ColdCurve(reads).rising());
  }
}
