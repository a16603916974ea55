/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.plugin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.lucene.store.ByteBuffersDirectory;
import org.apache.lucene.store.FilterDirectory;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.apache.lucene.store.PreloadHint;
import org.junit.jupiter.api.Test;

class ShardDirectoryTest {

  /** What the directory inside was asked for. */
  private final List<IOContext> contexts = new ArrayList<>();

  private final List<ShardDirectory> closed = new ArrayList<>();

  private ShardDirectory shard() {
    FilterDirectory inside =
        new FilterDirectory(new ByteBuffersDirectory()) {
          @Override
          public IndexInput openInput(String name, IOContext context) throws IOException {
            contexts.add(context);
            return super.openInput(name, context);
          }
        };
    return new ShardDirectory(
        inside, new OpenRules(Set.of("nvd"), Set.of(), Set.of()), closed::add);
  }

  private boolean preloads(ShardDirectory shard, String name) throws IOException {
    shard.createOutput(name, IOContext.DEFAULT).close();
    shard.openInput(name, IOContext.DEFAULT).close();
    return contexts.get(contexts.size() - 1).hints().contains(PreloadHint.INSTANCE);
  }

  @Test
  void opensFilesByTheRules() throws IOException {
    try (ShardDirectory shard = shard()) {
      assertTrue(preloads(shard, "_0.nvd"));
      assertFalse(preloads(shard, "_0.dvd"));
    }
  }

  @Test
  void tellsThatItIsClosed() throws IOException {
    ShardDirectory shard = shard();
    shard.close();
    assertEquals(List.of(shard), closed);
  }
}
