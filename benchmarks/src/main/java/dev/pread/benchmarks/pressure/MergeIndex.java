/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.pressure;

import dev.pread.benchmarks.StopSignal;
import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.corpus.Corpora;
import dev.pread.benchmarks.corpus.Corpus;
import dev.pread.benchmarks.index.DirectoryKind;
import dev.pread.benchmarks.index.IndexBuilder;
import dev.pread.benchmarks.index.IndexErrors;
import dev.pread.benchmarks.index.IndexFiles;
import dev.pread.benchmarks.report.Progress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.NoMergePolicy;
import org.apache.lucene.store.FSDirectory;
import org.apache.lucene.util.IOUtils;

/**
 * The index that is merged again and again. It lives in the work folder and is never merged itself:
 * each merge works on hard links to its files, which Lucene never changes, only deletes.
 */
final class MergeIndex {
  private static final String INDEX = "index";
  private static final String ORIGINAL = "original";
  private static final DirectoryKind WRITER = writer();

  private final Path folder;
  private final Progress progress;
  private final StopSignal stop;

  MergeIndex(Path work, Progress progress, StopSignal stop) {
    this.folder = work.resolve(INDEX);
    this.progress = progress;
    this.stop = stop;
  }

  private static DirectoryKind writer() {
    try {
      return DirectoryKind.named("pread");
    } catch (UserError e) {
      throw new AssertionError(e);
    }
  }

  /** Whether an earlier run left it here. */
  boolean isThere() {
    return Files.isDirectory(folder);
  }

  /** Indexes a text and multiplies the segments; a stopped call leaves nothing. */
  void build(Path text, int copies) throws IOException, UserError {
    Path original = folder.resolveSibling(ORIGINAL);
    boolean complete = false;
    try (Corpus corpus = Corpora.open(text)) {
      try (FSDirectory directory = WRITER.openForWriting(original)) {
        IndexBuilder.Built built = new IndexBuilder(corpus, progress, stop).build(directory);
        if (stop.requested()) {
          return;
        }
        if (built.docs() == 0) {
          throw new UserError("corpus " + text + " holds no text: name another with --corpus");
        }
      }
      multiply(original, copies);
      complete = !stop.requested();
    } catch (IOException | RuntimeException e) {
      UserError error = IndexErrors.whileBuilding(folder, e);
      if (error != null) {
        throw error;
      }
      throw e;
    } finally {
      IOUtils.rm(complete ? new Path[] {original} : new Path[] {original, folder});
    }
  }

  /** Copies whole segments, as they are. */
  private void multiply(Path original, int copies) throws IOException {
    IndexWriterConfig config = new IndexWriterConfig().setMergePolicy(NoMergePolicy.INSTANCE);
    try (FSDirectory source = WRITER.openForReading(original);
        FSDirectory target = WRITER.openForWriting(folder);
        IndexWriter writer = new IndexWriter(target, config)) {
      progress.start("copying segments");
      for (int i = 0; i < copies && !stop.requested(); i++) {
        writer.addIndexes(source);
        progress.update((i + 1) / (double) copies, "");
      }
      progress.wipe();
    }
  }

  /** Copies an index that is there; a stopped call leaves nothing. */
  void copy(Path index) throws IOException, UserError {
    boolean complete = false;
    try {
      Files.createDirectory(folder);
      progress.start("copying " + index);
      for (Path file : files(index)) {
        if (stop.requested()) {
          return;
        }
        Files.copy(file, folder.resolve(file.getFileName()));
      }
      progress.wipe();
      complete = true;
    } finally {
      if (!complete) {
        IOUtils.rm(folder);
      }
    }
  }

  /**
   * How many segments there are.
   *
   * @throws UserError if it is no index that can be merged
   */
  int segments() throws IOException, UserError {
    int segments;
    try (FSDirectory directory = WRITER.openForReading(folder);
        DirectoryReader reader = DirectoryReader.open(directory)) {
      segments = reader.leaves().size();
    } catch (IOException | RuntimeException e) {
      UserError error = IndexErrors.whileOpening(folder, e);
      if (error != null) {
        throw error;
      }
      throw e;
    }
    if (segments < 2) {
      throw new UserError(
          "the index has "
              + segments
              + " segment, and merging takes two: name another --index, or more --copies");
    }
    return segments;
  }

  /** The length of all files. */
  static long bytes(Path index) throws IOException {
    return IndexFiles.bytes(index);
  }

  long bytes() throws IOException {
    return bytes(folder);
  }

  /**
   * A folder with the same files, to be merged; the caller's to delete. Their pages are its own.
   */
  Path fresh(String name) throws IOException {
    Path slot = folder.resolveSibling("slot-" + name);
    IndexFiles.link(folder, slot);
    return slot;
  }

  static List<Path> files(Path index) throws IOException {
    return IndexFiles.of(index);
  }
}
