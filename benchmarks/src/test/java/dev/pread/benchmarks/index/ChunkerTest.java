/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.index;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.benchmarks.corpus.SourceText;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Chunks are whole lines and lose nothing. */
class ChunkerTest {

  private static List<Chunker.Chunk> cut(String text) {
    List<Chunker.Chunk> chunks = Chunker.cut(new SourceText("name", text));
    assertEquals(text, chunks.stream().map(Chunker.Chunk::text).collect(Collectors.joining()));
    return chunks;
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 59, 60, 61, 120, 1_000})
  void chunksAreWholeLines(int lines) {
    List<Chunker.Chunk> chunks = cut("a line\n".repeat(lines));
    assertEquals((lines + 59) / 60, chunks.size());
    for (int i = 0; i < chunks.size(); i++) {
      assertEquals(1 + 60 * i, chunks.get(i).firstLine());
      assertTrue(chunks.get(i).text().endsWith("\n"));
    }
  }

  @Test
  void longLinesAreCut() {
    List<Chunker.Chunk> chunks = cut("x".repeat(100_000) + "\nlast");
    assertTrue(chunks.size() > 5, "" + chunks.size());
  }
}
