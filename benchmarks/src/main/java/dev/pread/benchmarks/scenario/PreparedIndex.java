/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.scenario;

import dev.pread.benchmarks.StopSignal;
import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.corpus.Corpus;
import dev.pread.benchmarks.index.DirectoryKind;
import dev.pread.benchmarks.index.IndexBuilder;
import dev.pread.benchmarks.index.IndexErrors;
import dev.pread.benchmarks.index.IndexFiles;
import dev.pread.benchmarks.report.Progress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.lucene.document.Document;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.MultiTerms;
import org.apache.lucene.index.Terms;
import org.apache.lucene.store.FSDirectory;
import org.apache.lucene.util.IOUtils;

/**
 * The index of {@link KeyedDocument}s that the scenarios begin with: built once, through a
 * directory of Lucene that leaves nothing mapped, from a text that is repeated until the index is
 * as large as it is to be. Every repetition has keys of its own.
 */
final class PreparedIndex {
  private static final String FOLDER = "index";
  private static final String BODIES = "bodies";
  private static final String ORIGIN = "origin";
  private static final int MAX_BODIES = 2_000;
  private static final DirectoryKind NEUTRAL = neutral();

  private final Path index;
  private final Path bodies;
  private final long docs;
  private final double copies;

  private PreparedIndex(Path index, Path bodies, long docs, double copies) {
    this.index = index;
    this.bodies = bodies;
    this.docs = docs;
    this.copies = copies;
  }

  /** Opens a corpus from its beginning, as often as it is asked. */
  interface Source {
    /** The caller's to close. */
    Corpus open() throws IOException, UserError;
  }

  /**
   * How much there is to be.
   *
   * @param bytes of the index, at least, unless documents are given
   * @param documents at most; 0 for as many as the bytes need
   * @param origin what else it depends on, such as the corpus: a kept index of another is not used
   */
  record Size(long bytes, long documents, String origin) {
    String text() {
      return origin + "|" + bytes + "|" + documents;
    }
  }

  private static DirectoryKind neutral() {
    try {
      return DirectoryKind.named("niofs");
    } catch (UserError e) {
      throw new AssertionError(e);
    }
  }

  Path index() {
    return index;
  }

  /** File of {@link Bodies}. */
  Path bodies() {
    return bodies;
  }

  long docs() {
    return docs;
  }

  /** How often the text was taken, the last time perhaps not to its end; 0 if unknown. */
  double copies() {
    return copies;
  }

  long bytes() throws IOException {
    return IndexFiles.bytes(index);
  }

  /**
   * Builds it in a folder, or takes what an earlier run kept there.
   *
   * @return null if stopped, and then nothing is left
   */
  static PreparedIndex build(
      Path work, Size size, Source source, Progress progress, StopSignal stop)
      throws IOException, UserError {
    Path index = work.resolve(FOLDER);
    Path origin = work.resolve(ORIGIN);
    if (Files.isRegularFile(origin)) {
      List<String> kept = Files.readAllLines(origin);
      if (kept.size() == 2 && kept.get(0).equals(size.text())) {
        return open(index, work, Double.parseDouble(kept.get(1)));
      }
    }
    IOUtils.rm(existing(index, origin));
    boolean complete = false;
    try (FSDirectory directory = NEUTRAL.openForWriting(index)) {
      Making making = new Making(directory, size, source, progress, stop);
      double copies = making.all();
      if (stop.requested()) {
        return null;
      }
      PreparedIndex built = open(index, work, copies);
      if (built.docs() != making.keys.get()) {
        throw new IllegalStateException(
            built.docs() + " documents of " + making.keys + " are in the index");
      }
      Files.write(origin, List.of(size.text(), Double.toString(copies)));
      complete = true;
      return built;
    } catch (IOException | RuntimeException e) {
      UserError error = IndexErrors.whileBuilding(work, e);
      if (error != null) {
        throw error;
      }
      throw e;
    } finally {
      if (!complete) {
        IOUtils.rm(existing(index, origin, work.resolve(BODIES)));
      }
    }
  }

  private static Path[] existing(Path... paths) {
    List<Path> there = new ArrayList<>(List.of(paths));
    there.removeIf(path -> !Files.exists(path));
    return there.toArray(new Path[0]);
  }

  /**
   * Whether this class made an index, so that it can be taken as it is.
   *
   * @throws UserError if it cannot be read
   */
  static boolean isKeyed(Path index) throws IOException, UserError {
    return read(index, reader -> isOurs(reader, reader.numDocs()));
  }

  /**
   * Takes an index that this class made.
   *
   * @param work where to put what else is needed
   * @throws UserError if it is another one
   */
  static PreparedIndex open(Path index, Path work, double copies) throws IOException, UserError {
    return read(
        index,
        reader -> {
          long docs = reader.numDocs();
          if (!isOurs(reader, docs)) {
            throw new UserError(
                "index "
                    + index
                    + " has no documents that can be checked and updated by dense keys: name one"
                    + " that workloads built and kept (--work DIR --keep), or leave --index out");
          }
          Path bodies = work.resolve(BODIES);
          sample(reader, docs).write(bodies);
          return new PreparedIndex(index, bodies, docs, copies);
        });
  }

  /** What is asked of a reader. */
  private interface Question<T> {
    T ask(DirectoryReader reader) throws IOException, UserError;
  }

  private static <T> T read(Path index, Question<T> question) throws IOException, UserError {
    try (FSDirectory directory = NEUTRAL.openForReading(index);
        DirectoryReader reader = DirectoryReader.open(directory)) {
      return question.ask(reader);
    } catch (IOException | RuntimeException e) {
      UserError error = IndexErrors.whileOpening(index, e);
      if (error != null) {
        throw error;
      }
      throw e;
    }
  }

  /** Whether the keys are the numbers from 0, as far as the first and the last one tell. */
  private static boolean isOurs(DirectoryReader reader, long docs) throws IOException {
    Terms keys = MultiTerms.getTerms(reader, KeyedDocument.KEY);
    return docs > 0
        && keys != null
        && KeyedDocument.term(0).equals(keys.getMin())
        && KeyedDocument.term(docs - 1).equals(keys.getMax());
  }

  private static Bodies sample(DirectoryReader reader, long docs) throws IOException, UserError {
    KeyReader keys = new KeyReader(reader);
    List<String> texts = new ArrayList<>();
    long count = Math.min(MAX_BODIES, docs);
    try {
      for (long i = 0; i < count; i++) {
        long key = i * docs / count;
        keys.fetch(keys.find(key), key);
        texts.add(keys.fetched().body());
      }
    } catch (dev.pread.benchmarks.measure.HitMismatch e) {
      throw new UserError("the index is damaged: " + e.getMessage() + ": build it again", e);
    }
    return new Bodies(texts);
  }

  /** The making of one. */
  private static final class Making {
    private final FSDirectory directory;
    private final Size size;
    private final Source source;
    private final Progress progress;
    private final StopSignal stop;
    private final AtomicLong keys = new AtomicLong();
    private volatile long most;

    Making(FSDirectory directory, Size size, Source source, Progress progress, StopSignal stop) {
      this.directory = directory;
      this.size = size;
      this.source = source;
      this.progress = progress;
      this.stop = stop;
      this.most = size.documents() > 0 ? size.documents() : Long.MAX_VALUE;
    }

    /** Returns how many times the text was taken. */
    double all() throws IOException, UserError {
      copy(IndexWriterConfig.OpenMode.CREATE);
      long once = keys.get();
      if (once == 0 && !stop.requested()) {
        throw new UserError("the corpus holds no text: name another with --corpus");
      }
      if (size.documents() == 0 && !stop.requested()) {
        double perDoc = (double) IndexFiles.bytes(directory.getDirectory()) / once;
        most = Math.max(once, (long) Math.ceil(size.bytes() / perDoc));
      }
      while (keys.get() < most && !stop.requested()) {
        copy(IndexWriterConfig.OpenMode.APPEND);
      }
      return keys.get() / (double) once;
    }

    private void copy(IndexWriterConfig.OpenMode mode) throws IOException, UserError {
      try (Corpus corpus = source.open()) {
        new IndexBuilder(corpus, (name, text) -> next(text), progress, stop).build(directory, mode);
      }
    }

    private Document next(String text) {
      long key = keys.getAndUpdate(next -> Math.min(most, next + 1));
      return key >= most ? null : KeyedDocument.of(key, 0, text);
    }
  }
}
