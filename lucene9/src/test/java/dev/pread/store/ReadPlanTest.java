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

  private static ReadPlan plan(boolean randomByDefault, IOContext context) {
    return ReadPlan.of(ReadPlans.defaults(randomByDefault, true), "_0.doc", 1 << 20, context);
  }

  @Test
  void whatIsSearchedIsReadInTheCacheAsTheDefaultSays() {
    for (IOContext context : new IOContext[] {IOContext.DEFAULT, IOContext.READ, new IOContext()}) {
      assertEquals(ReadPlans.searched(Advice.NORMAL), plan(false, context));
      assertEquals(ReadPlans.searched(Advice.RANDOM), plan(true, context));
    }
  }

  @Test
  void randomAccessWinsOverTheDefault() {
    for (IOContext context :
        new IOContext[] {IOContext.RANDOM, IOContext.DEFAULT.withRandomAccess()}) {
      assertEquals(ReadPlans.searched(Advice.RANDOM), plan(false, context));
    }
  }

  @Test
  void whatIsToBeLoadedIsPreloadedAndReadAtRandom() {
    assertEquals(ReadPlans.preloaded(Advice.RANDOM), plan(false, IOContext.LOAD));
  }

  @Test
  void whatIsReadOnceIsReadPastTheCacheAndDroppedBehind() {
    assertEquals(ReadPlans.droppedBehind(), plan(true, IOContext.READONCE));
  }

  @Test
  void mergesAndFlushesAreReadPastTheCache() {
    for (IOContext context : new IOContext[] {Fixtures.MERGE, Fixtures.FLUSH}) {
      assertEquals(ReadPlans.onePass(), plan(true, context));
    }
  }

  @Test
  void whatAMergeJumpsAroundInIsReadInTheCacheAndAtRandom() {
    ReadPlan plan = ReadPlan.of(ReadPlans.defaults(false, false), "_0.vec", 100, Fixtures.MERGE);
    assertEquals(ReadPlans.jumpedIn(), plan);
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
