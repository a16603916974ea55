/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.Fixtures;
import dev.pread.posix.Advice;
import org.apache.lucene.store.DataAccessHint;
import org.apache.lucene.store.FileDataHint;
import org.apache.lucene.store.FileTypeHint;
import org.apache.lucene.store.FlushInfo;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.PreloadHint;
import org.apache.lucene.store.ReadOnceHint;
import org.junit.jupiter.api.Test;

/** From what Lucene says of a file to how it is read. */
class ReadPlanTest {

  private static final long MIB = 1 << 20;

  private static final IOContext FLUSH = IOContext.flush(new FlushInfo(10, 1000));

  private static ReadPlan plan(IOContext context) {
    return plan(false, context);
  }

  private static ReadPlan plan(boolean randomByDefault, IOContext context) {
    return ReadPlan.of(ReadPlans.defaults(randomByDefault, true), "_0.doc", MIB - 1, context);
  }

  private static IOContext hints(IOContext.FileOpenHint... hints) {
    return IOContext.DEFAULT.withHints(hints);
  }

  @Test
  void aContextThatTellsNothingLeavesItToTheDefault() {
    for (IOContext context :
        new IOContext[] {
          IOContext.DEFAULT, hints(), hints(FileTypeHint.DATA), hints(FileDataHint.POSTINGS)
        }) {
      assertEquals(ReadPlans.searched(Advice.NORMAL), plan(context));
      assertEquals(ReadPlans.searched(Advice.RANDOM), plan(true, context));
    }
  }

  @Test
  void hintsWinOverTheDefault() {
    for (boolean randomByDefault : new boolean[] {false, true}) {
      assertEquals(ReadPlans.searched(Advice.RANDOM), plan(randomByDefault, Fixtures.RANDOM));
      assertEquals(
          ReadPlans.searched(Advice.SEQUENTIAL), plan(randomByDefault, Fixtures.SEQUENTIAL));
      assertEquals(ReadPlans.onePass(), plan(randomByDefault, IOContext.READONCE));
      assertEquals(ReadPlans.onePass(), plan(randomByDefault, Fixtures.MERGE));
    }
  }

  @Test
  void mergesAndFlushesAreSequentialWhateverHintTheyAreGiven() {
    ReadPlan sequential = ReadPlans.onePass();
    for (IOContext context : new IOContext[] {Fixtures.MERGE, FLUSH}) {
      assertEquals(sequential, plan(context));
      assertEquals(sequential, plan(context.withHints(DataAccessHint.RANDOM)));
      assertEquals(sequential, plan(context.withHints(PreloadHint.INSTANCE)));
    }
  }

  @Test
  void readOnceIsSequentialEvenWithoutThatHint() {
    assertEquals(ReadPlans.onePass(), plan(hints(ReadOnceHint.INSTANCE)));
    assertEquals(ReadPlans.onePass(), plan(hints(ReadOnceHint.INSTANCE, PreloadHint.INSTANCE)));
  }

  @Test
  void preloadIsIndependentOfTheAccess() {
    assertEquals(ReadPlans.preloaded(Advice.NORMAL), plan(hints(PreloadHint.INSTANCE)));
    assertEquals(
        ReadPlans.preloaded(Advice.RANDOM),
        plan(hints(PreloadHint.INSTANCE, DataAccessHint.RANDOM, FileDataHint.KNN_VECTORS)));
    assertEquals(
        ReadPlans.preloaded(Advice.SEQUENTIAL),
        plan(hints(PreloadHint.INSTANCE, DataAccessHint.SEQUENTIAL)));
  }

  @Test
  void whatAMergeJumpsAroundInIsReadInTheCacheAndAtRandom() {
    ReadPlan.Defaults defaults = ReadPlans.defaults(false, false);
    for (String name : new String[] {"_0.vec", "_1_Lucene99.vex", "_0.veq", "_2_vectors_0.tmp"}) {
      for (IOContext context : new IOContext[] {Fixtures.MERGE, FLUSH}) {
        ReadPlan plan = ReadPlan.of(defaults, name, 100, context);
        assertEquals(ReadPlans.jumpedIn(), plan);
        assertTrue(plan.atRandom());
      }
      assertFalse(ReadPlan.of(defaults, name, 100, IOContext.READONCE).inCache());
      assertFalse(ReadPlan.of(defaults, name, 100, IOContext.DEFAULT).atRandom());
      assertTrue(ReadPlan.of(defaults, name, 100, Fixtures.RANDOM).atRandom());
    }
    for (String name : new String[] {"_0.doc", "vec", "_0.ve", "_0.vecx", "_0.tmp.doc"}) {
      ReadPlan plan = ReadPlan.of(defaults, name, 100, Fixtures.MERGE);
      assertFalse(plan.inCache());
      assertFalse(plan.atRandom());
    }
  }

  @Test
  void aLargeFileThatIsReadOnceIsDroppedBehindIfTheConfigurationSaysSo() {
    for (boolean configured : new boolean[] {false, true}) {
      ReadPlan.Defaults defaults = ReadPlans.defaults(false, configured);
      assertEquals(
          configured, ReadPlan.of(defaults, "_0.doc", MIB, IOContext.READONCE).dropBehind());
      assertFalse(ReadPlan.of(defaults, "_0.doc", MIB - 1, IOContext.READONCE).dropBehind());
      assertFalse(ReadPlan.of(defaults, "_0.doc", MIB, Fixtures.MERGE).dropBehind());
      assertFalse(ReadPlan.of(defaults, "_0.doc", MIB, IOContext.DEFAULT).dropBehind());
    }
  }

  /** Where it is not, Lucene 10.6 opens the file once more. */
  @Test
  void whatASearchHasOpenedIsNotForAMerge() {
    ReadPlan search = plan(IOContext.DEFAULT);
    ReadPlan random = plan(Fixtures.RANDOM);
    ReadPlan sequential = plan(Fixtures.SEQUENTIAL);
    ReadPlan merge = plan(Fixtures.MERGE);
    assertTrue(search.isEfficientFor(random));
    assertTrue(random.isEfficientFor(search));
    assertFalse(search.isEfficientFor(merge));
    assertFalse(search.isEfficientFor(sequential));
    assertFalse(sequential.isEfficientFor(merge));
    assertTrue(merge.isEfficientFor(plan(IOContext.READONCE)));
    ReadPlan mergeOfVectors =
        ReadPlan.of(ReadPlans.defaults(false, false), "_0.vec", MIB, Fixtures.MERGE);
    assertTrue(mergeOfVectors.inCache());
    assertFalse(random.isEfficientFor(mergeOfVectors));
    assertFalse(sequential.isEfficientFor(mergeOfVectors));
    assertFalse(mergeOfVectors.isEfficientFor(sequential));
  }
}
