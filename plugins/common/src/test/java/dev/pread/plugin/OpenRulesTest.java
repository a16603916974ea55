/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.plugin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.Set;
import org.apache.lucene.store.DataAccessHint;
import org.apache.lucene.store.FileTypeHint;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.MergeInfo;
import org.apache.lucene.store.PreloadHint;
import org.junit.jupiter.api.Test;

class OpenRulesTest {

  /** Hints of a server. */
  private enum OfServer implements IOContext.FileOpenHint {
    FOOTER_ONLY,
    USUAL
  }

  private static IOContext opened(String name, IOContext context, String... extensions) {
    return new OpenRules(Set.of(extensions), Set.of(OfServer.FOOTER_ONLY), Set.of(OfServer.USUAL))
        .apply(name, context);
  }

  @Test
  void preloadsTheExtensionsTheIndexNames() {
    IOContext random = IOContext.DEFAULT.withHints(DataAccessHint.RANDOM, FileTypeHint.DATA);
    Set<IOContext.FileOpenHint> preloaded =
        Set.of(DataAccessHint.RANDOM, FileTypeHint.DATA, PreloadHint.INSTANCE);
    assertEquals(preloaded, opened("_0.vec", random, "vec", "doc").hints());
    assertEquals(preloaded, opened("_0.vec", random, "*").hints());
    assertSame(random, opened("_0.vec", random, "doc"));
    assertSame(random, opened("_0.vec", random));
    assertSame(random, opened("segments_1", random, "vec"));
  }

  @Test
  void doesNotPreloadTwice() {
    IOContext preloaded = IOContext.DEFAULT.withHints(PreloadHint.INSTANCE);
    assertSame(preloaded, opened("_0.vec", preloaded, "*"));
  }

  @Test
  void doesNotPreloadWhatIsReadOnceOrInPart() {
    IOContext footer = IOContext.DEFAULT.withHints(OfServer.FOOTER_ONLY);
    IOContext merge = IOContext.merge(new MergeInfo(1, 1, false, 1));
    assertSame(IOContext.READONCE, opened("_0.doc", IOContext.READONCE, "*"));
    assertSame(footer, opened("_0.doc", footer, "*"));
    assertSame(merge, opened("_0.doc", merge, "*"));
  }

  @Test
  void theServerMayTakeBackThatAFileIsReadAtRandom() {
    IOContext usual = IOContext.DEFAULT.withHints(DataAccessHint.RANDOM, OfServer.USUAL);
    assertEquals(Set.of(OfServer.USUAL), opened("_0.vec", usual).hints());
  }
}
