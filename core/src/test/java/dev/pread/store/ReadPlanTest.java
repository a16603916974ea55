/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import static org.junit.jupiter.api.Assertions.assertEquals;

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

  private static final int SMALL = 1024;
  private static final int LARGE = 16_384;

  private static final IOContext FLUSH = IOContext.flush(new FlushInfo(10, 1000));

  private static ReadPlan plan(IOContext context) {
    return ReadPlan.of(context, SMALL, LARGE, false);
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
      assertEquals(
          new ReadPlan(SMALL, Advice.NORMAL, false, false, false),
          ReadPlan.of(context, SMALL, LARGE, false));
      assertEquals(
          new ReadPlan(SMALL, Advice.RANDOM, false, false, false),
          ReadPlan.of(context, SMALL, LARGE, true));
    }
  }

  @Test
  void hintsWinOverTheDefault() {
    for (boolean randomByDefault : new boolean[] {false, true}) {
      assertEquals(
          new ReadPlan(SMALL, Advice.RANDOM, false, false, false),
          ReadPlan.of(Fixtures.RANDOM, SMALL, LARGE, randomByDefault));
      assertEquals(
          new ReadPlan(LARGE, Advice.SEQUENTIAL, false, false, false),
          ReadPlan.of(Fixtures.SEQUENTIAL, SMALL, LARGE, randomByDefault));
      assertEquals(
          new ReadPlan(LARGE, Advice.SEQUENTIAL, true, false, true),
          ReadPlan.of(IOContext.READONCE, SMALL, LARGE, randomByDefault));
      assertEquals(
          new ReadPlan(LARGE, Advice.SEQUENTIAL, false, false, true),
          ReadPlan.of(Fixtures.MERGE, SMALL, LARGE, randomByDefault));
    }
  }

  @Test
  void mergesAndFlushesAreSequentialWhateverHintTheyAreGiven() {
    ReadPlan sequential = new ReadPlan(LARGE, Advice.SEQUENTIAL, false, false, true);
    for (IOContext context : new IOContext[] {Fixtures.MERGE, FLUSH}) {
      assertEquals(sequential, plan(context));
      assertEquals(sequential, plan(context.withHints(DataAccessHint.RANDOM)));
      assertEquals(sequential, plan(context.withHints(PreloadHint.INSTANCE)));
    }
  }

  @Test
  void readOnceIsSequentialEvenWithoutThatHint() {
    assertEquals(
        new ReadPlan(LARGE, Advice.SEQUENTIAL, true, false, true),
        plan(hints(ReadOnceHint.INSTANCE)));
  }

  @Test
  void preloadIsIndependentOfTheAccess() {
    assertEquals(
        new ReadPlan(SMALL, Advice.NORMAL, false, true, false), plan(hints(PreloadHint.INSTANCE)));
    assertEquals(
        new ReadPlan(SMALL, Advice.RANDOM, false, true, false),
        plan(hints(PreloadHint.INSTANCE, DataAccessHint.RANDOM, FileDataHint.KNN_VECTORS)));
    assertEquals(
        new ReadPlan(LARGE, Advice.SEQUENTIAL, false, true, false),
        plan(hints(PreloadHint.INSTANCE, DataAccessHint.SEQUENTIAL)));
  }
}
