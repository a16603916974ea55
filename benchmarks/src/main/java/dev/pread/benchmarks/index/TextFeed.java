/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.index;

import dev.pread.benchmarks.UserError;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import org.apache.lucene.util.IOSupplier;

/**
 * The texts of a corpus in chunks of whole lines, each to be a document, so that a few thousand
 * large files make an index of the shape that search applications have. They come once and, up to
 * {@link #limit}, over and over. Threads take turns.
 */
public final class TextFeed implements Closeable {
  private static final int MAX_LINES = 60;

  /** Ends chunks of texts with hardly a line break, such as minified scripts. */
  private static final int MAX_CHARS = 16 << 10;

  private final IOSupplier<Corpus> source;
  private final Deque<Chunk> waiting = new ArrayDeque<>();
  private Corpus corpus;
  private int copy = -1;
  private long cut;
  private long once;
  private long taken;
  private long limit = Long.MAX_VALUE;
  private boolean closed;

  /**
   * A chunk.
   *
   * @param number of it, from 0, in all copies
   * @param copy of the corpus that it is of, from 0
   * @param file of the corpus that it is of
   * @param line of the file that is its first, from 1
   * @param text its lines
   */
  public record Chunk(long number, int copy, String file, int line, String text) {}

  /** Of a corpus that is opened as soon as the first chunk is taken. */
  public TextFeed(IOSupplier<Corpus> source) {
    this.source = source;
  }

  /** Sets an end: after so many chunks, however often that takes the corpus. */
  public synchronized void limit(long chunks) {
    limit = chunks;
  }

  /**
   * The next chunk; null after the first copy if there is no limit, and at the limit.
   *
   * @throws UserError if the corpus has no text
   */
  public synchronized Chunk next() throws IOException {
    while (waiting.isEmpty() && taken < limit && !closed) {
      if (corpus == null) {
        if (copy == 0 && limit == Long.MAX_VALUE) {
          return null;
        }
        corpus = source.get();
        copy++;
      }
      Corpus.Text text = corpus.next();
      if (text != null) {
        cut(text);
        once = copy == 0 ? cut : once;
      } else if (cut == 0) {
        throw new UserError("the corpus holds no text: name another with --corpus");
      } else {
        corpus.close();
        corpus = null;
      }
    }
    if (taken >= limit || waiting.isEmpty()) {
      return null;
    }
    taken++;
    return waiting.poll();
  }

  private void cut(Corpus.Text source) {
    String text = source.content();
    int start = 0;
    int firstLine = 1;
    int line = 1;
    for (int end = 1; end <= text.length(); end++) {
      line += text.charAt(end - 1) == '\n' ? 1 : 0;
      if (line - firstLine >= MAX_LINES || end - start >= MAX_CHARS || end == text.length()) {
        waiting.add(new Chunk(cut++, copy, source.name(), firstLine, text.substring(start, end)));
        start = end;
        firstLine = line;
      }
    }
  }

  /** How many have been taken. */
  public synchronized long taken() {
    return taken;
  }

  /** How often the corpus was taken, the last time perhaps not to its end. */
  public synchronized double copies() {
    return taken / (double) once;
  }

  /** How much of all that is to come has come, between 0 and 1. */
  public synchronized double share() {
    return limit < Long.MAX_VALUE
        ? (double) taken / limit
        : corpus == null ? Math.min(1, cut) : corpus.progress();
  }

  @Override
  public synchronized void close() throws IOException {
    closed = true;
    if (corpus != null) {
      corpus.close();
      corpus = null;
    }
  }
}
