/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks;

import dev.pread.benchmarks.policy.PolicyKind;
import dev.pread.benchmarks.report.HitTable;
import dev.pread.benchmarks.report.Progress;
import dev.pread.benchmarks.trace.Bypass;
import dev.pread.benchmarks.trace.CacheSize;
import dev.pread.benchmarks.trace.Simulation;
import dev.pread.benchmarks.trace.Trace;
import dev.pread.benchmarks.trace.TraceFormatException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code trace simulate}: its options, and the few steps it takes. */
@Command(
    name = "simulate",
    description =
        "Replays traces through caches of several sizes and eviction policies, and prints the hit"
            + " ratios in percent.",
    mixinStandardHelpOptions = true,
    versionProvider = Main.Version.class,
    sortOptions = false)
final class TraceSimulateCommand implements Callable<Integer> {
  private static final int MIN_BLOCK = 4 << 10;
  private static final int MAX_BLOCK = 1 << 20;

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "FILE", arity = "1..*", description = "Traces, of trace record")
  private List<Path> files = new ArrayList<>();

  @Option(
      names = "--cache",
      paramLabel = "SIZE",
      split = ",",
      defaultValue = "1%,5%,10%,25%,50%",
      description =
          "Cache sizes: a part of the index, or bytes (k, m, g); default: ${DEFAULT-VALUE}")
  private List<String> caches = new ArrayList<>();

  @Option(
      names = "--block",
      paramLabel = "BYTES",
      split = ",",
      defaultValue = "4096,16384",
      description = "Block sizes, multiples of 4096; default: ${DEFAULT-VALUE}")
  private List<Integer> blocks = new ArrayList<>();

  @Option(
      names = "--policies",
      paramLabel = "NAME",
      split = ",",
      description =
          "Of lru, w-tinylfu (Caffeine), clock, gclock, sieve, s3-fifo, s3-fifo-1 (promotes at the"
              + " first hit), opt (knows the future: the bound); default: all")
  private List<String> policies = new ArrayList<>();

  @Option(
      names = "--bypass",
      paramLabel = "WHAT",
      split = ",",
      defaultValue = "context",
      description =
          "What does not go through the cache: none, context (inputs opened for merges or to be"
              + " read once), hints (those, and inputs announced as sequential), merges (as context,"
              + " and all that merge threads read); default:"
              + " ${DEFAULT-VALUE}")
  private List<Bypass> bypasses = new ArrayList<>();

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Write everything there too, with all counts")
  private Path json;

  /** Made by picocli. */
  TraceSimulateCommand() {}

  @Override
  public Integer call() throws Exception {
    Simulation.Options options =
        new Simulation.Options(
            caches(), blocks(), List.copyOf(new LinkedHashSet<>(bypasses)), policies());
    if (json != null) {
      Checks.writable("--json", json);
    }
    for (Path file : files) {
      if (!Files.isRegularFile(file)) {
        throw new UserError("trace " + file + " is no file: name one that trace record wrote");
      }
    }
    Progress progress = new Progress(spec.commandLine().getErr(), Progress.onTerminal());
    try (StopSignal stop = StopSignal.ofShutdown()) {
      List<Simulation.Row> rows = simulate(options, progress, stop);
      progress.wipe();
      HitTable table = new HitTable(options.policies(), rows);
      PrintWriter out = spec.commandLine().getOut();
      table.print(out);
      if (json != null) {
        try {
          table.writeJson(json);
        } catch (IOException e) {
          throw new UserError("--json " + json + " cannot be written: " + e, e);
        }
      }
      return stop.requested() ? ExitCode.STOPPED : ExitCode.OK;
    } finally {
      progress.wipe();
    }
  }

  private List<Simulation.Row> simulate(
      Simulation.Options options, Progress progress, StopSignal stop)
      throws UserError, IOException {
    PrintWriter out = spec.commandLine().getOut();
    List<Simulation.Row> rows = new ArrayList<>();
    for (Path file : files) {
      if (stop.requested()) {
        break;
      }
      progress.start("reading " + file);
      Trace trace = load(file);
      out.println(
          String.format(
              Locale.ROOT,
              "%s: %,d accesses, an index of up to %,d blocks of 4 KiB",
              trace.name(),
              trace.accesses(),
              trace.indexBytes() / MIN_BLOCK));
      progress.start("replaying " + file);
      rows.addAll(
          new Simulation(options, stop)
              .run(trace, done -> progress.update((double) done / options.rowsPerTrace(), "")));
    }
    out.println();
    return rows;
  }

  private static Trace load(Path file) throws UserError, IOException {
    try {
      return Trace.load(file);
    } catch (TraceFormatException e) {
      throw new UserError(e.getMessage(), e);
    } catch (OutOfMemoryError e) {
      throw new UserError(
          "trace " + file + " does not fit the heap: give the JVM more, with -Xmx", e);
    }
  }

  private List<CacheSize> caches() throws UserError {
    List<CacheSize> sizes = new ArrayList<>();
    for (String cache : caches) {
      CacheSize size = CacheSize.parse(cache);
      if (size == null) {
        throw new UserError(
            "--cache " + cache + " is no size: give a part of the index (5%) or bytes (64m)");
      }
      sizes.add(size);
    }
    return sizes;
  }

  private List<Integer> blocks() throws UserError {
    for (int block : blocks) {
      if (block < MIN_BLOCK || block > MAX_BLOCK || block % MIN_BLOCK != 0) {
        throw new UserError(
            "--block is " + block + ": it must be a multiple of 4096, up to " + MAX_BLOCK);
      }
    }
    return blocks;
  }

  private List<PolicyKind> policies() throws UserError {
    if (policies.isEmpty()) {
      return List.of(PolicyKind.values());
    }
    Set<PolicyKind> kinds = new LinkedHashSet<>();
    for (String name : policies) {
      PolicyKind kind = PolicyKind.named(name.strip());
      if (kind == null) {
        throw new UserError("unknown policy '" + name + "': use " + PolicyKind.labels());
      }
      kinds.add(kind);
    }
    return List.copyOf(kinds);
  }
}
