/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks;

import dev.pread.benchmarks.corpus.Corpora;
import dev.pread.benchmarks.corpus.Corpus;
import dev.pread.benchmarks.index.DirectoryKind;
import dev.pread.benchmarks.index.Documents;
import dev.pread.benchmarks.index.IndexBuilder;
import dev.pread.benchmarks.index.IndexErrors;
import dev.pread.benchmarks.index.WorkFolder;
import dev.pread.benchmarks.report.Progress;
import dev.pread.benchmarks.trace.Mix;
import dev.pread.benchmarks.trace.RecordingDirectory;
import dev.pread.benchmarks.trace.TraceWriter;
import dev.pread.benchmarks.trace.Workload;
import dev.pread.benchmarks.workload.QueryDraw;
import dev.pread.benchmarks.workload.QuerySet;
import dev.pread.benchmarks.workload.ZipfQueries;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.store.Directory;
import org.apache.lucene.util.IOUtils;

/** The steps of {@code trace record}: get an index, draw queries, record each mix. */
final class Recording {
  /** One alone has too few queries of some kinds to touch much of an index. */
  private static final int DRAWS = 8;

  private static final String DIRECTORY = "pread";

  private final Options options;
  private final PrintWriter out;
  private final Progress progress;
  private final StopSignal stop;

  /**
   * Where the index comes from.
   *
   * @param corpus to build it from, null for the JDK's source
   * @param index that exists already, or null
   * @param work folder to build in, or null
   */
  record Source(Path corpus, Path index, Path work) {}

  /**
   * What to record.
   *
   * @param source of the index
   * @param trace file to write, or what its name begins with
   * @param mixes to record; none for all that are possible
   * @param choice of the queries
   * @param plan of each mix
   */
  record Options(
      Source source, Path trace, List<Mix> mixes, ZipfQueries.Choice choice, Workload.Plan plan) {}

  /** What an index offers. */
  private record Subject(ZipfQueries queries, boolean canBeUpdated) {}

  Recording(Options options, PrintWriter out, Progress progress, StopSignal stop) {
    this.options = options;
    this.out = out;
    this.progress = progress;
    this.stop = stop;
  }

  /**
   * Runs it all; deletes what it made, except for the traces, whatever happens.
   *
   * @return the exit code
   */
  int run() throws UserError, IOException {
    Source source = options.source();
    if (source.index() != null) {
      if (!Files.isDirectory(source.index())) {
        throw new UserError(
            "index " + source.index() + " does not exist: name the folder of a Lucene index");
      }
      record(source.index());
      return exitCode();
    }
    Path text = source.corpus() == null ? Corpora.jdkSource() : source.corpus();
    try (Corpus corpus = Corpora.open(text);
        WorkFolder work = WorkFolder.open(source.work())) {
      long documents = build(corpus, work.path());
      if (!stop.requested()) {
        if (documents == 0) {
          throw new UserError("corpus " + text + " holds no text: name another with --corpus");
        }
        record(work.path());
      }
      return exitCode();
    }
  }

  private int exitCode() {
    return stop.requested() ? ExitCode.STOPPED : ExitCode.OK;
  }

  private long build(Corpus corpus, Path work) throws UserError, IOException {
    try (Directory directory = DirectoryKind.named(DIRECTORY).openForWriting(work)) {
      return new IndexBuilder(corpus, progress, stop).build(directory).docs();
    } catch (IOException | RuntimeException e) {
      UserError error = IndexErrors.whileBuilding(work, e);
      if (error != null) {
        throw error;
      }
      throw e;
    }
  }

  private void record(Path index) throws UserError, IOException {
    Subject subject = draw(index);
    if (stop.requested()) {
      return;
    }
    Set<Mix> mixes =
        options.mixes().isEmpty() ? EnumSet.allOf(Mix.class) : EnumSet.copyOf(options.mixes());
    if (mixes.contains(Mix.UPDATE) && !subject.canBeUpdated()) {
      String reason = "the documents of an index that was not built here cannot be updated";
      if (!options.mixes().isEmpty()) {
        throw new UserError("--mix update: " + reason + ", record search and scan");
      }
      mixes.remove(Mix.UPDATE);
      out.println("left out: update (" + reason + ")");
    }
    Workload workload = new Workload(subject.queries(), options.plan(), progress, stop);
    for (Mix mix : mixes) {
      if (!stop.requested()) {
        record(mix, workload, index, mixes.size() == 1 ? options.trace() : traceOf(mix));
      }
    }
  }

  private Path traceOf(Mix mix) {
    String name = options.trace().getFileName().toString();
    int dot = name.lastIndexOf('.');
    String stem = dot > 0 ? name.substring(0, dot) : name;
    String extension = dot > 0 ? name.substring(dot) : "";
    return options.trace().resolveSibling(stem + "-" + mix.label() + extension);
  }

  /** Through a reader that is not recorded. */
  private Subject draw(Path index) throws UserError, IOException {
    progress.start("drawing queries");
    try (Directory directory = DirectoryKind.named(DIRECTORY).openForReading(index);
        DirectoryReader reader = open(directory, index)) {
      IndexSearcher searcher = new IndexSearcher(reader);
      searcher.setQueryCache(null);
      List<QuerySet> sets = new ArrayList<>();
      for (int i = 0; i < DRAWS && !stop.requested(); i++) {
        sets.add(QueryDraw.draw(searcher, options.plan().seed() + i));
        progress.update((i + 1.0) / DRAWS, "");
      }
      ZipfQueries queries = ZipfQueries.of(sets, options.choice());
      if (queries == null && !stop.requested()) {
        throw new UserError(
            "index " + index + " has no documents, or no field for these queries: name another");
      }
      return new Subject(queries, Documents.canBeUpdated(reader));
    }
  }

  private static DirectoryReader open(Directory directory, Path index)
      throws UserError, IOException {
    try {
      return DirectoryReader.open(directory);
    } catch (IOException | RuntimeException e) {
      UserError error = IndexErrors.whileOpening(index, e);
      if (error != null) {
        throw error;
      }
      throw e;
    }
  }

  private void record(Mix mix, Workload workload, Path index, Path trace)
      throws UserError, IOException {
    DirectoryKind kind = DirectoryKind.named(DIRECTORY);
    if (mix != Mix.UPDATE) {
      try (Directory directory = kind.openForReading(index)) {
        record(mix, workload, directory, trace);
      }
      return;
    }
    try (WorkFolder copy = WorkFolder.open(null)) {
      copy(index, copy.path());
      try (Directory directory = kind.openForWriting(copy.path())) {
        record(mix, workload, directory, trace);
      } catch (IOException e) {
        UserError error = IndexErrors.whileBuilding(copy.path(), e);
        if (error != null) {
          throw error;
        }
        throw e;
      }
    }
  }

  private void record(Mix mix, Workload workload, Directory directory, Path file)
      throws UserError, IOException {
    TraceWriter trace = create(file);
    boolean success = false;
    try {
      // The directory is closed by the caller.
      long queries = workload.run(mix, new RecordingDirectory(directory, trace));
      end(trace);
      success = true;
      progress.finish(String.format(Locale.ROOT, "recorded %,d queries", queries));
      out.println(
          String.format(
              Locale.ROOT,
              "%s: %,d queries, %,d accesses, %,d bytes",
              file,
              queries,
              trace.accesses(),
              Files.size(file)));
      out.flush();
    } finally {
      if (!success) {
        IOUtils.closeWhileHandlingException(trace);
        Files.deleteIfExists(file);
      }
    }
  }

  private static void end(TraceWriter trace) throws UserError {
    try {
      trace.close();
    } catch (IOException e) {
      throw new UserError(e.getMessage() + ": name another --out", e);
    }
  }

  private static TraceWriter create(Path file) throws UserError {
    try {
      return TraceWriter.create(file);
    } catch (IOException e) {
      throw new UserError("--out " + file + " cannot be written (" + e + "): name another", e);
    }
  }

  private static void copy(Path index, Path to) throws UserError, IOException {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(index, Files::isRegularFile)) {
      for (Path file : files) {
        String name = file.getFileName().toString();
        if (!name.equals(IndexWriter.WRITE_LOCK_NAME)) {
          Files.copy(file, to.resolve(name));
        }
      }
    } catch (IOException e) {
      UserError error = IndexErrors.whileBuilding(to, e);
      if (error != null) {
        throw error;
      }
      throw e;
    }
  }
}
