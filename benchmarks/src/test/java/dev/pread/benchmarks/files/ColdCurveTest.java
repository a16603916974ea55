/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;

/** When a directory counts as warm. */
class ColdCurveTest {

  private static ColdCurve curve(double... rates) {
    DoubleStream warm = DoubleStream.generate(() -> 10).limit(30);
    return new ColdCurve(DoubleStream.concat(DoubleStream.of(rates), warm).toArray());
  }

  @Test
  void warmIsTheFirstOfThreeInARow() {
    ColdCurve curve = curve(0.1, 10, 10, 5, 8.99, 9, 11, 9.5);
    assertEquals(10, curve.warmRate());
    assertEquals(0.6, curve.secondsToWarm(), 1e-9);
    assertFalse(curve.rising());
    assertEquals(0.1, curve().secondsToWarm(), 1e-9);
    assertEquals(0.1, new ColdCurve(5).secondsToWarm(), 1e-9);
  }

  @Test
  void endThatStillRisesIsSaid() {
    double[] rates = DoubleStream.iterate(100, rate -> rate + 1).limit(50).toArray();
    assertFalse(new ColdCurve(rates).rising(), "a thirtieth in the end");
    assertTrue(new ColdCurve(DoubleStream.of(rates).map(r -> r * r * r * r).toArray()).rising());
  }
}
