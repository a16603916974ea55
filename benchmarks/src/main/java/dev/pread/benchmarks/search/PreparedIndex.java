/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.search;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pread.benchmarks.index.DirectoryKind;
import dev.pread.benchmarks.index.IndexBuilder;
import dev.pread.benchmarks.index.IndexErrors;
import dev.pread.benchmarks.index.IndexFiles;
import dev.pread.benchmarks.index.Kept;
import dev.pread.benchmarks.index.TextFeed;
import dev.pread.benchmarks.machine.Progress;
import dev.pread.benchmarks.machine.StopSignal;
import dev.pread.benchmarks.machine.UserError;
import dev.pread.benchmarks.machine.WrongResult;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.MultiTerms;
import org.apache.lucene.index.Terms;
import org.apache.lucene.store.FSDirectory;

/**
 * The index of {@link KeyedDocument}s that the scenarios begin with: built once, through a
 * directory of Lucene that leaves nothing mapped, from a text that is repeated until the index is
 * as large as it is to be. Every repetition has keys of its own.
 *
 * @param index folder of it
 * @param texts some of its texts, to write documents with
 * @param docs in it
 * @param copies how often the text was taken, the last time perhaps not to its end; 0 if unknown
 */
record PreparedIndex(Path index, List<String> texts, long docs, double copies) {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int MAX_TEXTS = 2_000;

  /**
   * How much there is to be, and of what: a kept index of anything else is not used.
   *
   * @param bytes of the index, at least, unless documents are given
   * @param documents at most; 0 for as many as the bytes need
   */
  record Size(long bytes, long documents, Path corpus) {}

  /**
   * Builds the index in a folder, or takes what an earlier run kept there.
   *
   * @return null if stopped, and then nothing is left
   */
  static PreparedIndex build(Path work, Size size, Progress progress, StopSignal stop)
      throws IOException {
    Path index = work.resolve("index");
    Kept kept =
        Kept.take(work, index, size.toString(), folder -> make(folder, size, progress, stop));
    return kept == null ? null : open(index, kept.copies());
  }

  private static Kept make(Path index, Size size, Progress progress, StopSignal stop)
      throws IOException {
    try (TextFeed feed = TextFeed.open(size.corpus());
        FSDirectory directory = DirectoryKind.NEUTRAL.openForWriting(index)) {
      if (size.documents() > 0) {
        feed.limit(size.documents());
      }
      IndexBuilder builder =
          new IndexBuilder(
              feed, chunk -> KeyedDocument.of(chunk.number(), 0, chunk.text()), progress, stop);
      builder.build(directory);
      if (size.documents() == 0 && !stop.requested()) {
        double perDoc = (double) IndexFiles.bytes(index) / feed.taken();
        feed.limit(Math.max(feed.taken(), (long) Math.ceil(size.bytes() / perDoc)));
        builder.build(directory);
      }
      return stop.requested() ? null : new Kept(size.toString(), feed.taken(), feed.copies());
    }
  }

  /**
   * Takes an index that this class made, which shows by its keys: they are the numbers from 0, as
   * far as the first and the last one tell.
   *
   * @throws UserError if it is another one, or cannot be read
   */
  static PreparedIndex open(Path index, double copies) throws IOException {
    return IndexErrors.opening(
        index,
        () -> {
          try (FSDirectory directory = DirectoryKind.NEUTRAL.openForReading(index);
              DirectoryReader reader = DirectoryReader.open(directory)) {
            Terms keys = MultiTerms.getTerms(reader, KeyedDocument.KEY);
            if (keys == null
                || !KeyedDocument.term(0).equals(keys.getMin())
                || !KeyedDocument.term(reader.numDocs() - 1).equals(keys.getMax())) {
              throw new UserError(
                  "index " + index + " is none that workloads built: name a text with --corpus");
            }
            return new PreparedIndex(index, sample(reader), reader.numDocs(), copies);
          }
        });
  }

  private static List<String> sample(DirectoryReader reader) throws IOException {
    KeyReader keys = new KeyReader(reader);
    List<String> texts = new ArrayList<>();
    long docs = reader.numDocs();
    long count = Math.min(MAX_TEXTS, docs);
    try {
      for (long i = 0; i < count; i++) {
        long key = i * docs / count;
        texts.add(keys.fetch(keys.find(key), key).body());
      }
    } catch (WrongResult e) {
      throw new UserError("the index is damaged: " + e.getMessage() + ": build it again", e);
    }
    return texts;
  }

  String describe() {
    String repeated = ", the text REPLICATED %.1f times under new keys";
    return String.format(Locale.ROOT, "%,d documents" + (copies > 1 ? repeated : ""), docs, copies);
  }

  /** Puts texts into a file, for the processes that are measured. */
  static void writeTexts(Path file, List<String> texts) throws IOException {
    JSON.writeValue(file.toFile(), texts);
  }

  static List<String> readTexts(Path file) throws IOException {
    return List.of(JSON.readValue(file.toFile(), String[].class));
  }
}
