/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.Fixtures;
import dev.pread.posix.Advice;
import org.apache.lucene.store.FlushInfo;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.MergeInfo;
import org.junit.jupiter.api.Test;

/** From what this version of Lucene says of a file to how it is read. */
class ReadPlanTest {

  private static final int SMALL = 1024;
  private static final int LARGE = 16_384;

  private static ReadPlan plan(boolean randomByDefault, IOContext context) {
    return ReadPlan.of(
        new ReadPlan.Defaults(SMALL, LARGE, randomByDefault, true), "_0.doc", 1 << 20, context);
  }

  @Test
  void whatIsSearchedIsReadInTheCacheAsTheDefaultSays() {
    for (IOContext context : new IOContext[] {IOContext.DEFAULT, IOContext.READ, new IOContext()}) {
      assertEquals(
          new ReadPlan(SMALL, Advice.NORMAL, false, false, true, false), plan(false, context));
      assertEquals(
          new ReadPlan(SMALL, Advice.RANDOM, false, false, true, false), plan(true, context));
    }
  }

  @Test
  void randomAccessWinsOverTheDefault() {
    for (IOContext context :
        new IOContext[] {IOContext.RANDOM, IOContext.DEFAULT.withRandomAccess()}) {
      assertEquals(
          new ReadPlan(SMALL, Advice.RANDOM, false, false, true, false), plan(false, context));
    }
  }

  @Test
  void whatIsToBeLoadedIsPreloadedAndReadAtRandom() {
    assertEquals(
        new ReadPlan(SMALL, Advice.RANDOM, true, false, true, false), plan(false, IOContext.LOAD));
  }

  @Test
  void whatIsReadOnceIsReadPastTheCacheAndDroppedBehind() {
    assertEquals(
        new ReadPlan(LARGE, Advice.SEQUENTIAL, false, true, false, true),
        plan(true, IOContext.READONCE));
  }

  @Test
  void mergesAndFlushesAreReadPastTheCache() {
    for (IOContext context : new IOContext[] {Fixtures.MERGE, Fixtures.FLUSH}) {
      assertEquals(
          new ReadPlan(LARGE, Advice.SEQUENTIAL, false, true, false, false), plan(true, context));
    }
  }

  @Test
  void whatAMergeJumpsAroundInIsReadInTheCacheAndAtRandom() {
    ReadPlan plan =
        ReadPlan.of(
            new ReadPlan.Defaults(SMALL, LARGE, false, false), "_0.vec", 100, Fixtures.MERGE);
    assertEquals(new ReadPlan(LARGE, Advice.SEQUENTIAL, false, true, true, false), plan);
    assertTrue(plan.atRandom());
  }

  @Test
  void aWriterSaysHowMuchItWrites() {
    IOContext merge = new IOContext(new MergeInfo(10, 1234, false, 2));
    assertTrue(LuceneContext.isOfWriter(merge));
    assertFalse(LuceneContext.isFlush(merge));
    assertEquals(1234, LuceneContext.estimatedBytes(merge));
    IOContext flush = new IOContext(new FlushInfo(10, 567));
    assertTrue(LuceneContext.isOfWriter(flush));
    assertTrue(LuceneContext.isFlush(flush));
    assertEquals(567, LuceneContext.estimatedBytes(flush));
    for (IOContext context :
        new IOContext[] {IOContext.DEFAULT, IOContext.READ, IOContext.READONCE, IOContext.LOAD}) {
      assertFalse(LuceneContext.isOfWriter(context));
      assertEquals(0, LuceneContext.estimatedBytes(context));
    }
  }
}
