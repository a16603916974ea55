/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** What the heap may still take from the system. */
class HeapGrowthTest {

  private final HeapGrowth heap = new HeapGrowth();

  @Test
  void fallsAsTheHeapIsTouched() {
    assertEquals(100, heap.bytes(100, 50, 50), "nothing is in use");
    assertEquals(90, heap.bytes(100, 50, 40));
    assertEquals(60, heap.bytes(100, 50, 10));
    assertEquals(60, heap.bytes(100, 50, 45), "what was collected remains touched");
    assertEquals(60, heap.bytes(100, 80, 70), "what is committed need not be touched");
    assertEquals(0, heap.bytes(100, 100, 0));
  }

  @Test
  void whatTheHeapGivesBackItMayTakeAgain() {
    assertEquals(20, heap.bytes(100, 80, 0));
    assertEquals(70, heap.bytes(100, 30, 10));
    assertEquals(70, heap.bytes(100, 80, 60), "that it has grown does not mean that it is touched");
  }

  /** Servers put their own options before those of users, and the JVM takes the last. */
  @Test
  void isTouchedAtTheStartIfTheLastOptionSaysSo() {
    String touch = "-XX:+AlwaysPreTouch";
    String leave = "-XX:-AlwaysPreTouch";
    assertFalse(HeapGrowth.isTouchedAtStart(List.of()));
    assertTrue(HeapGrowth.isTouchedAtStart(List.of("-Xmx1g", touch)));
    assertFalse(HeapGrowth.isTouchedAtStart(List.of(touch, "-Xmx1g", leave)));
    assertTrue(HeapGrowth.isTouchedAtStart(List.of(touch, leave, touch)));
  }

  @Test
  void isNeverNegative() {
    assertEquals(0, heap.bytes(100, 120, 0), "young spaces may count once more");
  }

  @Test
  void isThatOfThisProcess() {
    long bytes = heap.bytes();
    assertTrue(bytes >= 0 && bytes < Runtime.getRuntime().maxMemory(), "bytes: " + bytes);
  }
}
