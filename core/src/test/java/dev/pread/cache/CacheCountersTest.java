/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** Counts that whoever sends them elsewhere can rely on. */
class CacheCountersTest {

  /** A sum may see this that is taken while a block leaves which came a moment ago. */
  @Test
  void thereAreNeverLessThanNoBlocks() {
    CacheCounters counters = new CacheCounters();
    counters.takeBack(Counter.BLOCKS);
    assertEquals(0, counters.sum(Counter.BLOCKS));
    counters.count(Counter.BLOCKS);
    counters.count(Counter.BLOCKS);
    assertEquals(1, counters.sum(Counter.BLOCKS));
  }
}
