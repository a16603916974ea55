/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.corpus;

import java.io.Closeable;

/**
 * A stream of text files. Files that are no text, empty, unreadable or larger than 16 MiB are
 * passed over. It is not thread-safe: callers that share one take turns.
 */
public interface Corpus extends Closeable {

  /** What to call it in a report. */
  String name();

  /**
   * The next text, or null at the end.
   *
   * @throws CorpusException if the corpus turns out to be damaged
   */
  SourceText next() throws CorpusException;

  /** How much has been read, between 0 and 1. Any thread may ask. */
  double progress();
}
