/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks;

import dev.pread.PreadDirectory;
import dev.pread.benchmarks.corpus.Corpora;
import dev.pread.benchmarks.corpus.Corpus;
import dev.pread.benchmarks.index.DirectoryKind;
import dev.pread.benchmarks.index.IndexBuilder;
import dev.pread.benchmarks.index.IndexErrors;
import dev.pread.benchmarks.index.WorkFolder;
import dev.pread.benchmarks.measure.Contender;
import dev.pread.benchmarks.measure.HitMismatch;
import dev.pread.benchmarks.measure.Measurement;
import dev.pread.benchmarks.measure.Slot;
import dev.pread.benchmarks.report.Progress;
import dev.pread.benchmarks.report.Report;
import dev.pread.benchmarks.workload.QueryDraw;
import dev.pread.benchmarks.workload.QuerySet;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.lucene.store.Directory;
import org.apache.lucene.util.IOUtils;

/** The steps of {@code compare}: get an index, open it several times, measure, report. */
final class Comparison {
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
   * @param keep whether to leave the built index there
   * @param writer directory to build through, null with {@code index}
   */
  record Source(Path corpus, Path index, Path work, boolean keep, DirectoryKind writer) {}

  /**
   * What to compare.
   *
   * @param kinds the directories; the first is the reference for hits
   * @param source of the index
   * @param plan of the measurement
   * @param seed of the queries
   * @param json file to write, or null
   */
  record Options(
      List<DirectoryKind> kinds, Source source, Measurement.Plan plan, long seed, Path json) {}

  Comparison(Options options, PrintWriter out, Progress progress, StopSignal stop) {
    this.options = options;
    this.out = out;
    this.progress = progress;
    this.stop = stop;
  }

  /**
   * Runs it all; deletes what it made whatever happens.
   *
   * @return the exit code
   */
  int run() throws UserError, HitMismatch, IOException {
    Source source = options.source();
    if (source.index() != null) {
      if (!Files.isDirectory(source.index())) {
        throw new UserError(
            "index " + source.index() + " does not exist: name the folder of a Lucene index");
      }
      return compare(source.index(), source.index().toString(), 0);
    }
    Path text = source.corpus() == null ? Corpora.jdkSource() : source.corpus();
    try (Corpus corpus = Corpora.open(text);
        WorkFolder work = WorkFolder.open(source.work())) {
      long start = System.nanoTime();
      long documents = build(corpus, work.path());
      if (stop.requested()) {
        progress.wipe();
        out.println(Report.NOTHING);
        out.flush();
        return ExitCode.STOPPED;
      }
      if (documents == 0) {
        throw new UserError("corpus " + text + " holds no text: name another with --corpus");
      }
      if (source.keep()) {
        work.keep();
      }
      int code = compare(work.path(), corpus.name(), (System.nanoTime() - start) / 1e9);
      if (source.keep()) {
        out.println("index kept: search it again with --index " + work.path());
        out.flush();
      }
      return code;
    }
  }

  private long build(Corpus corpus, Path work) throws UserError, IOException {
    try (Directory directory = options.source().writer().openForWriting(work)) {
      return new IndexBuilder(corpus, progress, stop).build(directory).docs();
    } catch (IOException | RuntimeException e) {
      UserError error = IndexErrors.whileBuilding(work, e);
      if (error != null) {
        throw error;
      }
      throw e;
    }
  }

  private int compare(Path index, String corpus, double indexSeconds)
      throws UserError, HitMismatch, IOException {
    List<Contender> contenders = new ArrayList<>();
    try {
      open(index, contenders);
      Contender reference = contenders.get(0);
      if (reference.reader().numDocs() == 0) {
        throw new UserError("index " + index + " has no documents: name another");
      }
      progress.start("drawing queries");
      QuerySet set = QueryDraw.draw(reference.searcher(), options.seed());
      if (set.queries().isEmpty()) {
        throw new UserError("index " + index + " has no field to query: name another");
      }
      List<Slot> slots = new Measurement(set, contenders, options.plan(), progress, stop).run();
      report(slots, set, subject(contenders, corpus, indexSeconds));
      return stop.requested() ? ExitCode.STOPPED : ExitCode.OK;
    } finally {
      IOUtils.close(contenders);
    }
  }

  private void open(Path index, List<Contender> contenders) throws UserError, IOException {
    for (DirectoryKind kind : options.kinds()) {
      try {
        contenders.add(Contender.open(kind, index));
      } catch (IOException | RuntimeException e) {
        UserError error = IndexErrors.whileOpening(index, e);
        if (error != null) {
          throw error;
        }
        throw e;
      }
    }
    String commit = commit(contenders.get(0));
    for (Contender contender : contenders) {
      if (!commit(contender).equals(commit)) {
        throw new UserError(
            "index " + index + " changed while it was opened: stop its writer, or take a copy");
      }
    }
  }

  private static String commit(Contender contender) throws IOException {
    return contender.reader().getIndexCommit().getSegmentsFileName();
  }

  private Report.Subject subject(List<Contender> contenders, String corpus, double indexSeconds)
      throws IOException {
    Contender first = contenders.get(0);
    long bytes = 0;
    for (String file : first.reader().getIndexCommit().getFileNames()) {
      bytes += first.directory().fileLength(file);
    }
    String backend = null;
    for (Contender contender : contenders) {
      if (contender.directory() instanceof PreadDirectory directory) {
        backend = directory.backendName();
      }
    }
    return new Report.Subject(
        corpus,
        first.reader().numDocs(),
        first.reader().leaves().size(),
        bytes,
        indexSeconds,
        options.source().index() == null ? options.source().writer().name() : null,
        backend);
  }

  private void report(List<Slot> slots, QuerySet set, Report.Subject subject)
      throws UserError, IOException {
    progress.wipe();
    Measurement.Plan plan = options.plan();
    Report report =
        new Report(
            new Report.Settings(
                Version.withCommit(),
                options.kinds().stream().map(DirectoryKind::name).toList(),
                plan.threads(),
                plan.seconds(),
                plan.rounds(),
                options.seed()),
            subject,
            slots,
            set.leftOut());
    report.print(out);
    if (options.json() != null) {
      try {
        report.writeJson(options.json());
      } catch (IOException e) {
        throw new UserError("--json " + options.json() + " cannot be written: " + e, e);
      }
    }
  }
}
