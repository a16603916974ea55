/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.elasticsearch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import org.apache.lucene.store.DataAccessHint;
import org.apache.lucene.store.FileTypeHint;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.apache.lucene.store.IndexOutput;
import org.apache.lucene.store.MergeInfo;
import org.apache.lucene.store.NIOFSDirectory;
import org.apache.lucene.store.PreloadHint;
import org.elasticsearch.index.StandardIOBehaviorHint;
import org.elasticsearch.index.store.Store;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ShardDirectoryTest {

  @TempDir Path folder;

  /** What a file is opened with, where the index preloads {@code extensions}. */
  private IOContext opened(String name, IOContext context, String... extensions)
      throws IOException {
    IOContext[] last = new IOContext[1];
    NIOFSDirectory files =
        new NIOFSDirectory(folder) {
          @Override
          public IndexInput openInput(String file, IOContext with) throws IOException {
            last[0] = with;
            return super.openInput(file, with);
          }
        };
    OpenDirectories directories = new OpenDirectories();
    try (ShardDirectory shard = new ShardDirectory(files, directories, Set.of(extensions))) {
      assertEquals(1, directories.stats().buffered());
      try (IndexOutput out = shard.createOutput(name, IOContext.DEFAULT)) {
        out.writeByte((byte) 1);
      }
      shard.openInput(name, context).close();
      shard.deleteFile(name);
    }
    assertEquals(0, directories.stats().buffered());
    return last[0];
  }

  @Test
  void preloadsTheExtensionsTheIndexNames() throws IOException {
    IOContext random = IOContext.DEFAULT.withHints(DataAccessHint.RANDOM, FileTypeHint.DATA);
    Set<IOContext.FileOpenHint> preloaded =
        Set.of(DataAccessHint.RANDOM, FileTypeHint.DATA, PreloadHint.INSTANCE);
    assertEquals(preloaded, opened("_0.vec", random, "vec", "doc").hints());
    assertEquals(preloaded, opened("_0.vec", random, "*").hints());
    assertSame(random, opened("_0.vec", random, "doc"));
    assertSame(random, opened("_0.vec", random));
  }

  @Test
  void doesNotPreloadWhatIsReadOnceOrInPart() throws IOException {
    IOContext footer = IOContext.DEFAULT.withHints(Store.FileFooterOnly.INSTANCE);
    IOContext merge = IOContext.merge(new MergeInfo(1, 1, false, 1));
    assertSame(IOContext.READONCE, opened("_0.doc", IOContext.READONCE, "*"));
    assertSame(footer, opened("_0.doc", footer, "*"));
    assertSame(merge, opened("_0.doc", merge, "*"));
  }

  @Test
  void theServerMayTakeBackThatAFileIsReadAtRandom() throws IOException {
    IOContext usual =
        IOContext.DEFAULT.withHints(DataAccessHint.RANDOM, StandardIOBehaviorHint.INSTANCE);
    assertEquals(Set.of(StandardIOBehaviorHint.INSTANCE), opened("_0.vec", usual).hints());
  }
}
