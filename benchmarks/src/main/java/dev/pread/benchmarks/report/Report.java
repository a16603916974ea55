/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.report;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import dev.pread.benchmarks.measure.Slot;
import dev.pread.benchmarks.workload.QueryKind;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** A finished or stopped comparison: as a table with a footer, or as JSON with every round. */
public final class Report {
  /** What to print when a run was stopped too early for a table. */
  public static final String NOTHING = "stopped before anything was measured";

  private final Settings settings;
  private final Subject subject;
  private final List<Slot> slots;
  private final Map<QueryKind, String> leftOut;
  private final Summary summary;

  /**
   * What was asked for.
   *
   * @param version of this tool
   * @param directories by name
   * @param threads that searched
   * @param seconds measuring time asked for
   * @param rounds asked for
   * @param seed of the queries
   */
  public record Settings(
      String version,
      List<String> directories,
      int threads,
      double seconds,
      int rounds,
      long seed) {

    /** An unmodifiable copy. */
    public Settings {
      directories = List.copyOf(directories);
    }
  }

  /**
   * What was searched.
   *
   * @param corpus where the text came from, or the index if that was given
   * @param documents not counting deleted ones
   * @param segments of the index
   * @param bytes of the index
   * @param indexSeconds what building it took, 0 if it was given
   * @param builtWith the directory it was built through, or null if it was given
   * @param preadBackend what PreadDirectory reads with, or null if it took no part
   */
  public record Subject(
      String corpus,
      long documents,
      int segments,
      long bytes,
      double indexSeconds,
      String builtWith,
      String preadBackend) {}

  /** Sums the slots up. */
  public Report(
      Settings settings, Subject subject, List<Slot> slots, Map<QueryKind, String> leftOut) {
    this.settings = settings;
    this.subject = subject;
    this.slots = List.copyOf(slots);
    this.leftOut = leftOut;
    this.summary = new Summary(slots, settings.directories());
  }

  /** Prints the table and what it was measured on. */
  public void print(PrintWriter out) {
    if (slots.isEmpty()) {
      out.println(NOTHING);
      out.flush();
      return;
    }
    new Table(out, settings.directories()).print(summary, leftOut);
    out.println();
    out.println(
        String.format(
            Locale.ROOT,
            "%s: %,d documents, %d segments, %,d MiB%s; seed %d",
            subject.corpus(),
            subject.documents(),
            subject.segments(),
            subject.bytes() >> 20,
            subject.builtWith() == null
                ? ""
                : String.format(
                    Locale.ROOT,
                    ", built through %s in %.1f s",
                    subject.builtWith(),
                    subject.indexSeconds()),
            settings.seed()));
    out.println(
        String.format(
            Locale.ROOT,
            "JDK %s, vector module %s; %d processors, %d search %s, medians of %d %s%s",
            Runtime.version().feature(),
            Machine.hasVectorModule() ? "on" : "off (add --add-modules jdk.incubator.vector)",
            Runtime.getRuntime().availableProcessors(),
            settings.threads(),
            settings.threads() == 1 ? "thread" : "threads",
            measuredRounds(),
            measuredRounds() == 1 ? "round" : "rounds",
            isComplete() ? "" : " (stopped before all of " + settings.rounds() + ")"));
    out.println(
        "page cache "
            + pageCache()
            + (subject.preadBackend() == null ? "" : "; pread backend " + subject.preadBackend()));
    out.flush();
  }

  private long measuredRounds() {
    return slots.stream().mapToInt(Slot::round).distinct().count();
  }

  private boolean isComplete() {
    long kinds = slots.stream().map(Slot::kind).distinct().count();
    return kinds == QueryKind.values().length - leftOut.size()
        && slots.size() == settings.rounds() * kinds * settings.directories().size();
  }

  private String pageCache() {
    long limit =
        Math.min(
            Machine.availableMemory().orElse(Long.MAX_VALUE),
            Machine.memoryLimit().orElse(Long.MAX_VALUE));
    if (limit == Long.MAX_VALUE) {
      return "unknown: every query had run before";
    }
    return subject.bytes() < limit
        ? "warm: every query had run before, and the index fits the free memory"
        : "mixed: the index is larger than the free memory";
  }

  /** Writes everything, raw figures included. */
  public void writeJson(Path file) throws IOException {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("time", Instant.now().toString());
    json.put("complete", isComplete());
    json.put("settings", settings);
    json.put("subject", subject);
    json.put("pageCache", pageCache());
    json.put("machine", Machine.describe());
    json.put("jvm", Machine.jvm());
    Map<String, String> reasons = new LinkedHashMap<>();
    leftOut.forEach((kind, reason) -> reasons.put(kind.label(), reason));
    json.put("leftOut", reasons);
    json.put("base", summary.base());
    Map<String, Double> means = new LinkedHashMap<>();
    summary.geometricMeans().forEach((name, mean) -> means.put(name, orNull(mean)));
    json.put("geometricMeans", means);
    List<Map<String, Object>> rows = new ArrayList<>();
    for (Summary.Row row : summary.rows()) {
      rows.add(json(row));
    }
    json.put("results", rows);
    byte[] bytes =
        new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT).writeValueAsBytes(json);
    Files.write(file, bytes);
  }

  /** JSON has no word for what is not a number. */
  private static Double orNull(double value) {
    return Double.isNaN(value) ? null : value;
  }

  private static Map<String, Object> json(Summary.Row row) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("kind", row.kind().label());
    json.put("directory", row.directory());
    json.put("queriesPerSecond", row.queriesPerSecond());
    json.put("p50Nanos", row.p50Nanos());
    json.put("p99Nanos", row.p99Nanos());
    json.put("ratio", orNull(row.ratio()));
    List<Map<String, Object>> rounds = new ArrayList<>();
    for (Slot slot : row.slots()) {
      Map<String, Object> round = new LinkedHashMap<>();
      round.put("round", slot.round());
      round.put("queries", slot.queries());
      round.put("elapsedNanos", slot.elapsedNanos());
      round.put("queriesPerSecond", slot.queriesPerSecond());
      round.put("p50Nanos", slot.p50Nanos());
      round.put("p99Nanos", slot.p99Nanos());
      round.put("maxNanos", slot.maxNanos());
      rounds.add(round);
    }
    json.put("rounds", rounds);
    return json;
  }
}
