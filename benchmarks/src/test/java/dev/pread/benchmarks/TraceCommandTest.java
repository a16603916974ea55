/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pread.benchmarks.corpus.Corpora;
import dev.pread.benchmarks.corpus.Corpus;
import dev.pread.benchmarks.index.DirectoryKind;
import dev.pread.benchmarks.index.IndexBuilder;
import dev.pread.benchmarks.policy.PolicyKind;
import dev.pread.benchmarks.report.Progress;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.NIOFSDirectory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code trace record} and {@code trace simulate} from their arguments to their output. */
class TraceCommandTest {
  @TempDir private static Path shared;
  private static Path corpus;
  private static Path index;
  private static Path search;
  private static Path scan;

  @TempDir private Path temp;

  @BeforeAll
  static void buildIndexAndRecord() throws IOException, UserError {
    corpus = SampleText.write(shared.resolve("corpus"));
    index = shared.resolve("index");
    Progress progress = new Progress(new PrintWriter(new StringWriter()), false);
    try (Corpus text = Corpora.open(corpus);
        Directory directory = DirectoryKind.named("pread").openForWriting(index);
        StopSignal stop = StopSignal.ofShutdown()) {
      assertTrue(new IndexBuilder(text, progress, stop).build(directory).docs() > 0);
    }
    search = record(shared.resolve("search.trace"), "--mix", "search");
    scan = record(shared.resolve("scan.trace"), "--mix", "scan");
  }

  private static Path record(Path out, Object... args) {
    Object[] all = new Object[args.length + 8];
    Object[] fixed = {"trace", "record", "--index", index, "--queries", 400, "--out", out};
    System.arraycopy(fixed, 0, all, 0, fixed.length);
    System.arraycopy(args, 0, all, fixed.length, args.length);
    Cli cli = Cli.run(all);
    assertEquals(ExitCode.OK, cli.code(), cli.err());
    return out;
  }

  private static void assertOneLine(String expected, Cli cli) {
    assertEquals(ExitCode.USAGE, cli.code(), cli.err());
    assertEquals(1, cli.err().lines().count(), cli.err());
    assertTrue(cli.err().contains(expected), cli.err());
  }

  private static Map<String, String> listing(Path folder) throws IOException {
    Map<String, String> files = new TreeMap<>();
    try (Stream<Path> entries = Files.list(folder)) {
      for (Path entry : (Iterable<Path>) entries::iterator) {
        files.put(
            entry.getFileName().toString(),
            Files.getLastModifiedTime(entry) + " " + Files.size(entry));
      }
    }
    return files;
  }

  @Test
  void corpusIsRecordedInAllMixesAndReplayed() throws IOException {
    Path work = temp.resolve("work");
    Cli cli =
        Cli.run(
            "trace",
            "record",
            "--corpus",
            corpus,
            "--work",
            work,
            "--out",
            temp.resolve("t.trace"),
            "--queries",
            400,
            "--threads",
            2);
    assertEquals(ExitCode.OK, cli.code(), cli.err());
    assertFalse(Files.exists(work), "the work folder is gone");
    Path searches = temp.resolve("t-search.trace");
    Path scans = temp.resolve("t-scan.trace");
    Path updates = temp.resolve("t-update.trace");
    for (Path trace : new Path[] {searches, scans, updates}) {
      assertTrue(cli.out().contains(trace + ": 400 queries, "), cli.out());
    }

    Path json = temp.resolve("result.json");
    cli =
        Cli.run(
            "trace",
            "simulate",
            searches,
            scans,
            updates,
            "--json",
            json,
            "--cache",
            "10%,64k",
            "--bypass",
            "none,merges");
    assertEquals(ExitCode.OK, cli.code(), cli.err());
    assertTrue(cli.out().contains("| lru | w-tinylfu | clock |"), cli.out());
    assertTrue(cli.out().contains("| t-scan.trace | none | 4096 | 10% |"), cli.out());
    JsonNode root = new ObjectMapper().readTree(Files.readAllBytes(json));
    // Traces, bypasses, block sizes, caches.
    assertEquals(3 * 2 * 2 * 2, root.get("results").size());
    for (JsonNode row : root.get("results")) {
      long accesses = row.get("accesses").asLong();
      long bound = row.get("hits").get("opt").asLong();
      assertTrue(bound <= accesses - row.get("distinctBlocks").asLong(), row.toString());
      assertEquals(PolicyKind.values().length, row.get("hits").size());
      for (PolicyKind policy : PolicyKind.values()) {
        long hits = row.get("hits").get(policy.label()).asLong();
        assertTrue(hits <= bound, policy + " in " + row);
        assertEquals(
            (double) hits / accesses, row.get("hitRatios").get(policy.label()).asDouble(), 1e-9);
      }
    }
  }

  @Test
  void sameSeedGivesTheSameTraceAndLeavesTheIndexAlone() throws IOException {
    Map<String, String> before = listing(index);
    Path again = record(temp.resolve("again"), "--mix", "scan");
    assertArrayEquals(Files.readAllBytes(scan), Files.readAllBytes(again));
    record(temp.resolve("updates"), "--mix", "update");
    assertEquals(before, listing(index));
    Path keys = record(temp.resolve("keys"), "--mix", "search", "--kinds", "key", "--seed", 7);
    Path otherKeys = record(temp.resolve("others"), "--mix", "search", "--kinds", "key");
    assertFalse(Arrays.equals(Files.readAllBytes(keys), Files.readAllBytes(otherKeys)));
    assertTrue(Files.size(keys) < Files.size(search), "keys only");
  }

  @Test
  void scansAreReadOnceEverySecondTime() throws IOException {
    Path json = temp.resolve("result.json");
    Cli cli =
        Cli.run(
            "trace",
            "simulate",
            search,
            scan,
            "--json",
            json,
            "--cache",
            "100%",
            "--block",
            4096,
            "--policies",
            "lru",
            "--bypass",
            "none,context");
    assertEquals(ExitCode.OK, cli.code(), cli.err());
    JsonNode rows = new ObjectMapper().readTree(Files.readAllBytes(json)).get("results");
    long searches = rows.get(1).get("accesses").asLong();
    long withScans = rows.get(2).get("accesses").asLong();
    long withTwoScans = rows.get(3).get("accesses").asLong();
    long blocks = rows.get(2).get("capacityBlocks").asLong();
    assertTrue(withTwoScans >= searches + 2 * blocks, rows.toString());
    assertTrue(withScans >= withTwoScans + 2 * blocks, rows.toString());
    assertTrue(rows.get(2).get("distinctBlocks").asLong() >= blocks, "a scan reads every block");
  }

  @Test
  void damagedTraceIsOneLine() throws IOException {
    Path trace = temp.resolve("cut.trace");
    Files.write(trace, Arrays.copyOf(Files.readAllBytes(search), 1000));
    Cli cli = Cli.run("trace", "simulate", trace);
    assertOneLine("trace " + trace + " is damaged at byte 1000", cli);
    assertOneLine(
        "this is no trace file", Cli.run("trace", "simulate", corpus.resolve("file0.txt")));
    assertOneLine("is no file", Cli.run("trace", "simulate", temp.resolve("nowhere")));
  }

  @Test
  void foreignIndexCannotBeUpdated() throws IOException {
    Path foreign = temp.resolve("foreign");
    try (Directory directory = new NIOFSDirectory(foreign);
        StandardAnalyzer analyzer = new StandardAnalyzer();
        IndexWriter writer = new IndexWriter(directory, new IndexWriterConfig(analyzer))) {
      for (int i = 0; i < 100; i++) {
        Document doc = new Document();
        doc.add(new TextField("title", "the same words and number " + i, Field.Store.YES));
        writer.addDocument(doc);
      }
    }
    Path out = temp.resolve("foreign.trace");
    Cli cli = Cli.run("trace", "record", "--index", foreign, "--out", out, "--queries", 100);
    assertEquals(ExitCode.OK, cli.code(), cli.err());
    assertTrue(cli.out().contains("left out: update"), cli.out());
    assertTrue(Files.exists(temp.resolve("foreign-scan.trace")));
    assertFalse(Files.exists(temp.resolve("foreign-update.trace")));
    assertOneLine(
        "--mix update",
        Cli.run("trace", "record", "--index", foreign, "--out", out, "--mix", "update"));
    assertOneLine(
        "no field for these queries",
        Cli.run("trace", "record", "--index", foreign, "--out", out, "--kinds", "knn"));
  }

  @Test
  void failedRecordingLeavesNoTrace() throws IOException {
    Path full = Path.of("/dev/full");
    assumeTrue(Files.exists(full));
    Path link = Files.createSymbolicLink(temp.resolve("full.trace"), full);
    Cli cli =
        Cli.run(
            "trace",
            "record",
            "--index",
            index,
            "--out",
            link,
            "--mix",
            "search",
            "--queries",
            500);
    assertEquals(ExitCode.USAGE, cli.code(), cli.err());
    assertTrue(cli.err().contains("could not be written"), cli.err());
    assertFalse(Files.exists(link, LinkOption.NOFOLLOW_LINKS));
  }

  @Test
  void senselessOptionsAreOneLine() {
    Path out = temp.resolve("out");
    assertOneLine("trace needs a command", Cli.run("trace"));
    assertOneLine("--out", Cli.run("trace", "record"));
    assertOneLine("cannot be written", Cli.run("trace", "record", "--out", temp));
    assertOneLine(
        "--index searches",
        Cli.run("trace", "record", "--out", out, "--index", index, "--corpus", corpus));
    assertOneLine("--queries is", Cli.run("trace", "record", "--out", out, "--queries", 0));
    assertOneLine("--skew is", Cli.run("trace", "record", "--out", out, "--skew=-1"));
    assertOneLine("--mix", Cli.run("trace", "record", "--out", out, "--mix", "dance"));
    assertOneLine(
        "does not exist", Cli.run("trace", "record", "--out", out, "--index", temp.resolve("no")));
    assertOneLine("FILE", Cli.run("trace", "simulate"));
    assertOneLine("--cache 5x", Cli.run("trace", "simulate", out, "--cache", "5x"));
    assertOneLine("--block is 5000", Cli.run("trace", "simulate", out, "--block", "5000"));
    assertOneLine("unknown policy", Cli.run("trace", "simulate", out, "--policies", "magic"));
    assertOneLine("--bypass", Cli.run("trace", "simulate", out, "--bypass", "road"));
  }
}
