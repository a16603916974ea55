/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.search;

import dev.pread.benchmarks.index.DirectoryKind;
import dev.pread.benchmarks.index.IndexBuilder;
import dev.pread.benchmarks.index.IndexFiles;
import dev.pread.benchmarks.index.Kept;
import dev.pread.benchmarks.index.TextFeed;
import dev.pread.benchmarks.machine.Progress;
import dev.pread.benchmarks.machine.StopSignal;
import java.io.IOException;
import java.nio.file.Path;
import org.apache.lucene.store.FSDirectory;

/**
 * The index of {@link KeyedDocument}s that the scenarios begin with: built once, through a
 * directory of Lucene that leaves nothing mapped, from a text that is repeated until the index is
 * as large as it is to be. Every repetition has keys of its own.
 *
 * @param corpus the text
 * @param bytes of the index, nearly
 */
record TextIndex(Path corpus, long bytes) {
  /** More than a document takes: the first ones, which tell how large they are, fit the index. */
  private static final int MAX_DOCUMENT_BYTES = 1 << 14;

  /** Builds the index in a work folder, or takes what an earlier run kept there. */
  Kept build(Path work, Progress progress, StopSignal stop) throws IOException {
    return Kept.take(
        work, work.resolve("index"), toString(), folder -> write(folder, progress, stop));
  }

  private Kept write(Path index, Progress progress, StopSignal stop) throws IOException {
    try (TextFeed feed = TextFeed.open(corpus);
        FSDirectory directory = DirectoryKind.NEUTRAL.openForWriting(index)) {
      IndexBuilder builder =
          new IndexBuilder(
              feed, chunk -> KeyedDocument.of(chunk.number(), 0, chunk.text()), progress, stop);
      feed.limit(Math.max(1_000, bytes / MAX_DOCUMENT_BYTES));
      do {
        builder.build(directory);
      } while (feed.extend(bytes, IndexFiles.bytes(index)));
      return new Kept(toString(), feed.taken(), feed.copies());
    }
  }
}
