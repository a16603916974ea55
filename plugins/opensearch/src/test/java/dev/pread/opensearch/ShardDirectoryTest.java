/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.opensearch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.lucene.store.ByteBuffersDirectory;
import org.apache.lucene.store.DataAccessHint;
import org.apache.lucene.store.FilterDirectory;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.apache.lucene.store.MergeInfo;
import org.apache.lucene.store.PreloadHint;
import org.junit.jupiter.api.Test;

class ShardDirectoryTest {

  /** What the directory inside was asked for. */
  private final List<IOContext> contexts = new ArrayList<>();

  private final List<ShardDirectory> closed = new ArrayList<>();

  private ShardDirectory shard(Set<String> preload) throws IOException {
    FilterDirectory inside =
        new FilterDirectory(new ByteBuffersDirectory()) {
          @Override
          public IndexInput openInput(String name, IOContext context) throws IOException {
            contexts.add(context);
            return super.openInput(name, context);
          }
        };
    for (String name : List.of("_0.nvd", "_0.dvd")) {
      inside.createOutput(name, IOContext.DEFAULT).close();
    }
    return new ShardDirectory(inside, StoreType.PREAD, preload, closed::add);
  }

  private boolean preloads(ShardDirectory shard, String name, IOContext context)
      throws IOException {
    shard.openInput(name, context).close();
    return contexts.get(contexts.size() - 1).hints().contains(PreloadHint.INSTANCE);
  }

  @Test
  void preloadsTheNamedExtensions() throws IOException {
    try (ShardDirectory shard = shard(Set.of("nvd"))) {
      assertTrue(preloads(shard, "_0.nvd", IOContext.DEFAULT));
      assertFalse(preloads(shard, "_0.dvd", IOContext.DEFAULT));
      assertTrue(preloads(shard, "_0.nvd", IOContext.DEFAULT.withHints(PreloadHint.INSTANCE)));
      assertTrue(preloads(shard, "_0.nvd", IOContext.DEFAULT.withHints(DataAccessHint.RANDOM)));
      assertTrue(contexts.get(contexts.size() - 1).hints().contains(DataAccessHint.RANDOM));
    }
  }

  @Test
  void preloadsNothingForMergesAndWhatIsReadOnce() throws IOException {
    try (ShardDirectory shard = shard(Set.of("*"))) {
      assertTrue(preloads(shard, "_0.dvd", IOContext.DEFAULT));
      assertFalse(preloads(shard, "_0.nvd", IOContext.READONCE));
      assertFalse(preloads(shard, "_0.nvd", IOContext.merge(new MergeInfo(1, 1, false, 1))));
    }
  }

  @Test
  void tellsThatItIsClosed() throws IOException {
    ShardDirectory shard = shard(Set.of());
    shard.close();
    assertEquals(List.of(shard), closed);
  }
}
