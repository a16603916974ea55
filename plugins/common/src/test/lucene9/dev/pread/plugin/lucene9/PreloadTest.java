/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.plugin.lucene9;

import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.Set;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.MergeInfo;
import org.junit.jupiter.api.Test;

class PreloadTest {

  private static IOContext opened(String name, IOContext context, String... extensions) {
    return new Preload(Set.of(extensions)).apply(name, context);
  }

  @Test
  void preloadsTheExtensionsTheIndexNames() {
    for (IOContext context : Set.of(IOContext.DEFAULT, IOContext.READ, IOContext.RANDOM)) {
      assertSame(IOContext.LOAD, opened("_0.vec", context, "vec", "doc"));
      assertSame(IOContext.LOAD, opened("_0.vec", context, "*"));
      assertSame(context, opened("_0.vec", context, "doc"));
      assertSame(context, opened("_0.vec", context));
      assertSame(context, opened("segments_1", context, "vec"));
    }
  }

  @Test
  void doesNotPreloadWhatIsReadOnce() {
    IOContext merge = new IOContext(new MergeInfo(1, 1, false, 1));
    assertSame(IOContext.READONCE, opened("_0.doc", IOContext.READONCE, "*"));
    assertSame(merge, opened("_0.doc", merge, "*"));
  }
}
