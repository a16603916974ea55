/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.index;

import dev.pread.benchmarks.corpus.SourceText;
import java.util.ArrayList;
import java.util.List;

/**
 * Cuts a text into chunks of whole lines, each a document: a corpus of a few thousand large files
 * then makes an index of the shape that search applications have. Loses no character.
 */
public final class Chunker {
  private static final int MAX_LINES = 60;

  /** Ends chunks of texts with hardly a line break, such as minified scripts. */
  private static final int MAX_CHARS = 16 << 10;

  private Chunker() {}

  /**
   * One chunk.
   *
   * @param firstLine the number of its first line, from 1
   * @param text its lines
   */
  public record Chunk(int firstLine, String text) {}

  /** Cuts one, in order. */
  public static List<Chunk> cut(SourceText source) {
    String text = source.text();
    List<Chunk> chunks = new ArrayList<>();
    int start = 0;
    int line = 1;
    int firstLine = 1;
    for (int i = 0; i < text.length(); i++) {
      boolean lineEnds = text.charAt(i) == '\n';
      if (lineEnds) {
        line++;
      }
      boolean full = lineEnds && line - firstLine >= MAX_LINES;
      if (full || i + 1 - start >= MAX_CHARS) {
        chunks.add(new Chunk(firstLine, text.substring(start, i + 1)));
        start = i + 1;
        firstLine = line;
      }
    }
    if (start < text.length()) {
      chunks.add(new Chunk(firstLine, text.substring(start)));
    }
    return chunks;
  }
}
