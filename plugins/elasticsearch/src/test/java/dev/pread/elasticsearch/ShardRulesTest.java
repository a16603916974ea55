/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.elasticsearch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.List;
import java.util.Set;
import org.apache.lucene.store.DataAccessHint;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.PreloadHint;
import org.elasticsearch.index.StandardIOBehaviorHint;
import org.elasticsearch.index.store.Store;
import org.junit.jupiter.api.Test;

/** The hints that this server has beside Lucene's. */
class ShardRulesTest {

  private static IOContext opened(IOContext context) {
    return ShardRules.of(List.of("*")).apply("_0.vec", context);
  }

  @Test
  void doesNotPreloadAFileOfWhichTheEndAloneIsRead() {
    IOContext footer = IOContext.DEFAULT.withHints(Store.FileFooterOnly.INSTANCE);
    assertSame(footer, opened(footer));
  }

  @Test
  void theServerMayTakeBackThatAFileIsReadAtRandom() {
    IOContext usual =
        IOContext.DEFAULT.withHints(DataAccessHint.RANDOM, StandardIOBehaviorHint.INSTANCE);
    assertEquals(
        Set.of(StandardIOBehaviorHint.INSTANCE, PreloadHint.INSTANCE), opened(usual).hints());
  }
}
