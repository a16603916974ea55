/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.server;

import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.corpus.Corpus;
import dev.pread.benchmarks.corpus.SourceText;
import dev.pread.benchmarks.index.Chunker;
import dev.pread.benchmarks.workload.Reservoir;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.regex.Pattern;

/**
 * Documents out of a corpus, over and over: each time under new keys, and with its rare words
 * changed, since a text that is only repeated would have the vocabulary of a small index. Threads
 * take turns.
 */
final class TextFeed implements Closeable {
  private static final int SAMPLE = 4000;

  /** Words as long as this are mostly names of one file. */
  private static final Pattern RARE = Pattern.compile("\\b[A-Za-z]\\w{11,}\\b");

  private final Source source;
  private final Reservoir<String> sample;
  private final Deque<Piece> waiting = new ArrayDeque<>();
  private Corpus corpus;
  private int copy = -1;
  private long keys;
  private long limit = Long.MAX_VALUE;
  private int lastCopy;
  private boolean closed;

  /** Opens the corpus, each time from its beginning. */
  interface Source {
    Corpus open() throws UserError;
  }

  /**
   * A document.
   *
   * @param key from 0
   * @param file that it is of
   * @param line of the file that is its first
   * @param text its lines
   */
  record Doc(long key, String file, int line, String text) {
    /** Of the file. */
    String folder() {
      return file.substring(0, Math.max(0, file.lastIndexOf('/')));
    }
  }

  private record Piece(String file, int line, String text) {}

  TextFeed(Source source, long seed) {
    this.source = source;
    this.sample = new Reservoir<>(SAMPLE, new SplittableRandom(seed));
  }

  /** Sets an end: after so many documents, however often that takes the corpus. */
  synchronized void limit(long documents) {
    limit = documents;
    lastCopy = Integer.MAX_VALUE;
  }

  /** The next document; null after the first copy, and at the end that was set. */
  synchronized Doc next() throws IOException, UserError {
    while (waiting.isEmpty() && keys < limit && !closed) {
      if (corpus == null) {
        if (copy == lastCopy) {
          return null;
        }
        corpus = source.open();
        copy++;
      }
      SourceText text = corpus.next();
      if (text == null) {
        if (keys == 0) {
          throw new UserError("the corpus holds no text: name another with --corpus");
        }
        corpus.close();
        corpus = null;
      } else {
        cut(text);
      }
    }
    return keys < limit ? numbered(waiting.poll()) : null;
  }

  private Doc numbered(Piece piece) {
    return piece == null ? null : new Doc(keys++, piece.file(), piece.line(), piece.text());
  }

  private void cut(SourceText text) {
    for (Chunker.Chunk chunk : Chunker.cut(text)) {
      if (copy == 0) {
        sample.offer(chunk::text);
      }
      String words = copy == 0 ? chunk.text() : RARE.matcher(chunk.text()).replaceAll("$0x" + copy);
      waiting.add(new Piece(text.name(), chunk.firstLine(), words));
    }
  }

  /** For the sample alone. */
  synchronized void skipFirstCopy() throws IOException, UserError {
    while (next() != null) {
      // They are in the index already.
    }
  }

  /** Some of the texts of the first copy, drawn evenly. */
  synchronized List<String> sample() {
    return sample.sample();
  }

  /** How often the corpus was taken, the last time perhaps not to its end. */
  synchronized int copies() {
    return copy + 1;
  }

  /** How much of all that is to come has come, between 0 and 1; a guess before there is an end. */
  synchronized double share() {
    return limit < Long.MAX_VALUE ? (double) keys / limit : 0;
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
