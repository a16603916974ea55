/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.compare;

import dev.pread.PreadDirectory;
import dev.pread.benchmarks.ExitCode;
import dev.pread.benchmarks.StopSignal;
import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.Version;
import dev.pread.benchmarks.index.Corpus;
import dev.pread.benchmarks.index.DirectoryKind;
import dev.pread.benchmarks.index.IndexBuilder;
import dev.pread.benchmarks.index.IndexErrors;
import dev.pread.benchmarks.index.QueryDraw;
import dev.pread.benchmarks.index.QuerySet;
import dev.pread.benchmarks.machine.ScratchFolder;
import dev.pread.benchmarks.measure.Contender;
import dev.pread.benchmarks.measure.HitMismatch;
import dev.pread.benchmarks.measure.Measurement;
import dev.pread.benchmarks.measure.Slot;
import dev.pread.benchmarks.report.Machine;
import dev.pread.benchmarks.report.Progress;
import dev.pread.benchmarks.report.TextReport;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.apache.lucene.store.Directory;
import org.apache.lucene.util.IOUtils;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code compare}: gets an index, opens it several times, measures, reports. */
@Command(
    name = "compare",
    description =
        "Searches one index through several directories in turn, checks that all return the same"
            + " hits, and prints throughput, latency and the ratio to mmap for nine kinds of"
            + " queries. Without options it indexes the JDK's own source.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    sortOptions = false,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:measured, and all directories return the same hits",
      "1:a directory returns other hits, or fails on a query",
      "2:something to put right: one line on standard error says what",
      "3:a defect of this tool",
      "130:stopped by Ctrl-C; the table shows what was measured"
    })
public final class CompareCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Mixin private CompareOptions options = new CompareOptions();

  private PrintWriter out;
  private Progress progress;
  private StopSignal stop;

  /** Made by picocli. */
  public CompareCommand() {}

  @Override
  public Integer call() throws UserError, HitMismatch, IOException {
    options.check();
    out = spec.commandLine().getOut();
    progress = new Progress(spec.commandLine().getErr(), Progress.onTerminal());
    try (StopSignal signal = StopSignal.ofShutdown()) {
      stop = signal;
      return run();
    } finally {
      progress.wipe();
    }
  }

  /** Runs it all, and deletes what it made whatever happens. */
  private int run() throws UserError, HitMismatch, IOException {
    if (options.index != null) {
      if (!Files.isDirectory(options.index)) {
        throw new UserError(
            "index " + options.index + " does not exist: name the folder of a Lucene index");
      }
      return compare(options.index, options.index.toString(), 0);
    }
    Path text = options.corpus == null ? Corpus.jdkSource() : options.corpus;
    Corpus.require(text);
    try (ScratchFolder work = ScratchFolder.open(options.work, options.keepIndex)) {
      long start = System.nanoTime();
      IndexErrors.building(work.path(), () -> build(text, work.path()));
      if (stop.requested()) {
        progress.wipe();
        out.println(TextReport.NOTHING);
        out.flush();
        return ExitCode.STOPPED;
      }
      int code = compare(work.path(), text.toString(), (System.nanoTime() - start) / 1e9);
      if (options.keepIndex) {
        out.println("index kept: search it again with --index " + work.path());
        out.flush();
      }
      return code;
    }
  }

  private String command() {
    return String.join(" ", spec.commandLine().getParent().getParseResult().originalArgs());
  }

  private long build(Path text, Path work) throws UserError, IOException {
    try (Directory directory = options.writer.openForWriting(work)) {
      return IndexBuilder.build(directory, () -> Corpus.open(text), progress, stop);
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
      QuerySet set = QueryDraw.draw(reference.searcher(), options.seed);
      if (set.queries().isEmpty()) {
        throw new UserError("index " + index + " has no field to query: name another");
      }
      List<Slot> slots = new Measurement(set, contenders, options.plan(), progress, stop).run();
      Map<String, Object> subject = subject(contenders, corpus, indexSeconds);
      progress.wipe();
      new CompareReport(options, subject, slots, set.leftOut()).write(out, command());
      return stop.requested() ? ExitCode.STOPPED : ExitCode.OK;
    } finally {
      IOUtils.close(contenders);
    }
  }

  private void open(Path index, List<Contender> contenders) throws UserError, IOException {
    for (DirectoryKind kind : options.kinds) {
      contenders.add(IndexErrors.opening(index, () -> Contender.open(kind, index)));
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

  /**
   * What was searched: documents, segments and bytes of the index, how it came about, and what
   * PreadDirectory reads with.
   */
  private Map<String, Object> subject(
      List<Contender> contenders, String corpus, double indexSeconds) throws IOException {
    Contender first = contenders.get(0);
    long bytes = 0;
    for (String file : first.reader().getIndexCommit().getFileNames()) {
      bytes += first.directory().fileLength(file);
    }
    Map<String, Object> subject = new LinkedHashMap<>();
    subject.put("corpus", corpus);
    subject.put("documents", first.reader().numDocs());
    subject.put("segments", first.reader().leaves().size());
    subject.put("indexBytes", bytes);
    if (options.index == null) {
      subject.put("builtWith", options.writer.name());
      subject.put("buildSeconds", indexSeconds);
    }
    subject.put("pageCache", pageCache(bytes));
    for (Contender contender : contenders) {
      if (contender.directory() instanceof PreadDirectory directory) {
        subject.put("preadBackend", directory.backendName());
      }
    }
    return subject;
  }

  private static String pageCache(long indexBytes) {
    long limit =
        Math.min(
            Machine.availableMemory().orElse(Long.MAX_VALUE),
            Machine.memoryLimit().orElse(Long.MAX_VALUE));
    if (limit == Long.MAX_VALUE) {
      return "unknown: every query had run before";
    }
    return indexBytes < limit
        ? "warm: every query had run before, and the index fits the free memory"
        : "mixed: the index is larger than the free memory";
  }
}
