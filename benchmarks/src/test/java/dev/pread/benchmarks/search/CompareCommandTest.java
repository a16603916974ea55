/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.search;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.benchmarks.Cli;
import dev.pread.benchmarks.FaultyDirectories;
import dev.pread.benchmarks.SampleText;
import dev.pread.benchmarks.index.BenchQuery;
import dev.pread.benchmarks.index.QueryDraw;
import dev.pread.benchmarks.index.QueryKind;
import dev.pread.benchmarks.machine.ExitCode;
import dev.pread.benchmarks.report.Cell;
import dev.pread.benchmarks.report.Run;
import dev.pread.benchmarks.report.RunFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.LongPoint;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.IndexableField;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FSDirectory;
import org.apache.lucene.store.NIOFSDirectory;
import org.apache.lucene.store.NoLockFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code compare} from its arguments to its output. */
class CompareCommandTest {
  @TempDir private static Path shared;
  private static Path corpus;

  @TempDir private Path temp;

  @BeforeAll
  static void writeCorpus() throws IOException {
    corpus = SampleText.write(shared.resolve("corpus"));
  }

  private static Object[] args(Object... more) {
    List<Object> args = new ArrayList<>(List.of("compare", "--seconds", 0.3, "--rounds", 2));
    args.addAll(List.of(more));
    return args.toArray();
  }

  private static void refused(String words, Object... more) {
    Cli.refused(words, args(more));
  }

  /** Makes an index of two segments, which is not in compound files. */
  private Path index(int docs, IntFunction<List<IndexableField>> maker) throws IOException {
    Path index = temp.resolve("index");
    try (Directory directory = new NIOFSDirectory(index, NoLockFactory.INSTANCE);
        IndexWriter writer =
            new IndexWriter(directory, new IndexWriterConfig().setUseCompoundFile(false))) {
      for (int i = 0; i < docs; i++) {
        writer.addDocument(maker.apply(i));
        if (i == docs / 2) {
          writer.commit();
        }
      }
    }
    return index;
  }

  @Test
  void measuresAllKindsThroughAllDirectories() throws Exception {
    Path json = temp.resolve("result.json");
    Path html = temp.resolve("result.html");
    Path work = temp.resolve("work");
    // This is long enough for both rounds on a busy machine: compare ends when its time is over.
    Cli.fine(
        "compare",
        "--seconds=2",
        "--rounds=2",
        "--threads=2",
        "--corpus",
        corpus,
        "--work",
        work,
        "--json",
        json,
        "--html",
        html);
    assertFalse(Files.exists(work.resolve("compare")), "the folder of the index is gone");

    Run run = RunFile.read(json);
    assertTrue(run.complete());
    assertEquals(List.of(), run.skipped());
    assertEquals(3 * (QueryKind.values().length * 6 + 1), run.cells().size());
    for (Cell cell : run.cells()) {
      assertEquals(isMean(cell) ? 1 : 2, cell.samples().size(), cell.toString());
      assertTrue(cell.samples().stream().allMatch(sample -> sample > 0), cell.toString());
    }
    ratiosAreTakenWithinRounds(run);
    meansAreGeometric(run);
    assertTrue(run.about().command().startsWith("compare"), run.about().command());
    assertEquals(2, run.about().settings().get("threads"));
    assertEquals(100, run.about().storage().get("documents"));
    assertTrue(Files.readString(html).contains(run.about().command()));
    Cli.assertNames(Cli.fine("report", json).out(), "== compare");
  }

  @Test
  void noRoundBeginsWhenTheTimeIsOver() throws Exception {
    Path json = temp.resolve("result.json");
    Cli.fine("compare", "--seconds=0.01", "--rounds=1000", "--corpus", corpus, "--json", json);
    Run run = RunFile.read(json);
    int rounds = cells(run, "throughput").get(0).samples().size();
    assertTrue(rounds < 1000, rounds + " rounds");
    cells(run, "throughput").forEach(cell -> assertEquals(rounds, cell.samples().size()));
    String note = "compare: the time was over after " + rounds + " rounds";
    assertTrue(run.notes().contains(note), run.notes().toString());
    assertTrue(run.complete());
  }

  /** There is no text and no field with frequencies: a key is not taken for one. */
  @Test
  void keysOfSeveralSegmentsAreNoText() throws IOException {
    Path index =
        index(
            100,
            i -> {
              IndexableField key = new StringField("id", "n" + i, Field.Store.NO);
              // These are fewer than there are keys.
              IndexableField category = new StringField("category", "c" + i % 3, Field.Store.NO);
              return i % 2 == 0 ? List.of(key, category) : List.of(key);
            });
    try (DirectoryReader reader = DirectoryReader.open(new NIOFSDirectory(index))) {
      assertEquals(2, reader.leaves().size());
      List<BenchQuery> terms = QueryDraw.draw(new IndexSearcher(reader), 1).get(QueryKind.TERM);
      assertTrue(
          terms.stream().allMatch(one -> one.toString().contains("category")), terms.toString());
    }
  }

  private static Set<String> queries(Run run) {
    return run.cells().stream()
        .map(cell -> cell.conditions().get("query"))
        .collect(Collectors.toSet());
  }

  private static boolean isMean(Cell cell) {
    return cell.conditions().get("query").equals("geometric mean");
  }

  private static List<Cell> cells(Run run, String metric) {
    return run.cells().stream().filter(cell -> cell.metric().name().equals(metric)).toList();
  }

  private static Cell cell(Run run, Map<String, String> query, String contender, String metric) {
    return cells(run, metric).stream()
        .filter(cell -> cell.conditions().equals(query))
        .filter(cell -> cell.contender().name().equals(contender))
        .findFirst()
        .orElseThrow();
  }

  private static void ratiosAreTakenWithinRounds(Run run) {
    for (Cell cell : cells(run, "throughput")) {
      List<Double> base = cell(run, cell.conditions(), "mmap", "throughput").samples();
      Cell ratios = cell(run, cell.conditions(), cell.contender().name(), "vs mmap");
      for (int round = 0; round < base.size(); round++) {
        double ratio = cell.samples().get(round) / base.get(round);
        assertEquals(ratio, ratios.samples().get(round), 1e-9, cell.toString());
      }
    }
  }

  private static void meansAreGeometric(Run run) {
    Map<String, Double> logs = new TreeMap<>();
    for (Cell cell : cells(run, "vs mmap")) {
      double log = Math.log(cell.median());
      double share = isMean(cell) ? -log : log / QueryKind.values().length;
      logs.merge(cell.contender().name(), share, Double::sum);
    }
    assertEquals(Set.of("mmap", "niofs", "pread"), logs.keySet());
    logs.forEach((name, zero) -> assertEquals(0, zero, 1e-9, name));
  }

  @Test
  void foreignIndexIsSearchedByWhatItHas() throws IOException {
    Path index =
        index(
            50,
            i -> {
              List<IndexableField> doc = new ArrayList<>();
              doc.add(new StringField("isbn", "n" + i, Field.Store.YES));
              doc.add(new TextField("title", "the same words and number " + i, Field.Store.NO));
              doc.add(new LongPoint("printed", i * 1_000L));
              for (int tag = 0; tag < 20; tag++) {
                doc.add(new StringField("more of it, and no text", "t" + tag, Field.Store.NO));
              }
              return doc;
            });
    Map<String, String> before = listing(index);
    Path json = temp.resolve("result.json");
    Cli.fine(args("--index", index, "--directories", "niofs,pread", "--json", json));
    Run run = RunFile.read(json);
    assertEquals(
        Stream.of(QueryKind.SORT, QueryKind.KNN).map(kind -> "compare: " + kind.label()).toList(),
        run.skipped().stream().map(Run.Skipped::what).toList());
    assertFalse(cells(run, "vs niofs").isEmpty(), "ratios to the first where mmap is not there");
    // All others are there, and the mean.
    assertEquals(QueryKind.values().length - 1, queries(run).size());
    assertEquals(before, listing(index));
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
  void otherHitsAreAMismatch() {
    String lying = FaultyDirectories.Lying.class.getName();
    Path work = temp.resolve("work");
    Cli cli = Cli.run(args("--corpus", corpus, "--work", work, "--directories", "mmap," + lying));
    assertEquals(ExitCode.WRONG, cli.code(), cli.err());
    assertFalse(Files.exists(work.resolve("compare")), "the folder of the index is gone");
    Cli.assertNames(cli.err(), lying, QueryKind.SORT.label());
    assertFalse(cli.out().contains("queries/s"), cli.out());
  }

  @Test
  void failureOfADirectoryNamesTheQuery() throws IOException {
    // In a compound file the directory would not know the stored fields by their name.
    Path index =
        index(500, i -> List.of(new TextField("text", "words, number " + i, Field.Store.YES)));
    String broken = FaultyDirectories.Broken.class.getName();
    Cli cli = Cli.run(args("--index", index, "--directories", "niofs," + broken));
    assertEquals(ExitCode.WRONG, cli.code(), cli.err());
    Cli.assertNames(cli.err(), broken, QueryKind.STORED.label(), FaultyDirectories.FAULT);
  }

  @Test
  void whatIsNotThereIsOneLine() throws IOException {
    Path empty = Files.createDirectory(temp.resolve("empty"));
    refused("--corpus", "--corpus", empty);
    refused("nowhere", "--corpus", temp.resolve("nowhere"));
    refused("nowhere", "--index", temp.resolve("nowhere"));
    refused("segments", "--index", temp);
    refused("'floppy'", "--directories", "mmap,floppy");
    for (String type : List.of("org.example.No", "java.lang.String", FSDirectory.class.getName())) {
      refused("'" + type + "'", "--directories", type);
    }
  }

  @Test
  void unusableWorkFolderIsOneLine() throws IOException {
    Path file = Files.writeString(temp.resolve("file"), "content");
    Path other = Files.writeString(Files.createDirectory(temp.resolve("compare")).resolve("x"), "");
    refused("--work", "--corpus", corpus, "--work", temp);
    refused(file.toString(), "--corpus", corpus, "--work", file);
    assertEquals("content", Files.readString(file));
    assertTrue(Files.exists(other));
  }

  @Test
  void senselessOptionsAreOneLine() {
    refused("--threads", "--threads", "many");
    refused("--threads", "--threads", 0);
    Cli.refused("--seconds", "compare", "--seconds=-1");
    refused("--corpus", "--index", temp, "--corpus", corpus);
    refused("--json", "--json", temp.resolve("no/such/folder.json"));
    Cli.run(args("--fast")).doesNotKnow("--fast");
  }
}
