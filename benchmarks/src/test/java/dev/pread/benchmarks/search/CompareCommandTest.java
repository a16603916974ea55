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
import dev.pread.benchmarks.report.SyntheticRuns;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.IntFunction;
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
import org.apache.lucene.store.NIOFSDirectory;
import org.apache.lucene.store.NoLockFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code compare} from its arguments to its output. */
class CompareCommandTest {
  @TempDir private Path temp;

  @BeforeEach
  void writeCorpus() throws IOException {
    SampleText.write(temp.resolve("corpus"));
  }

  private Cli compare(String options) {
    return Cli.run("compare --seconds=0.3 --rounds=2 " + options, temp);
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
    Path html = temp.resolve("result.html");
    String files = " --work=DIR/work --json=DIR/result.json --html=DIR/result.html";
    Cli.fine("compare --seconds=0.3 --rounds=2 --threads=2 --corpus=DIR/corpus" + files, temp);
    assertFalse(Files.exists(temp.resolve("work/compare")), "the folder of the index is gone");

    Run run = RunFile.read(temp.resolve("result.json"));
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
    assertTrue(Files.readString(html).contains(run.about().command()));
    Files.delete(html);
    Cli again = Cli.fine("report DIR/result.json --html=DIR/result.html", temp);
    Cli.assertNames(again.out(), "== compare");
    assertTrue(Files.readString(html).contains(run.about().command()));
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

  private static boolean isMean(Cell cell) {
    return cell.conditions().get("query").equals("geometric mean");
  }

  private static void ratiosAreTakenWithinRounds(Run run) {
    for (Cell cell : SyntheticRuns.find(run, "throughput")) {
      String query = cell.conditions().get("query");
      List<Double> base = SyntheticRuns.find(run, query, "mmap", "throughput").get(0).samples();
      Cell ratios = SyntheticRuns.find(run, query, cell.contender().name(), "vs mmap").get(0);
      for (int round = 0; round < base.size(); round++) {
        double ratio = cell.samples().get(round) / base.get(round);
        assertEquals(ratio, ratios.samples().get(round), 1e-9, cell.toString());
      }
    }
  }

  private static void meansAreGeometric(Run run) {
    Map<String, Double> logs = new TreeMap<>();
    for (Cell cell : SyntheticRuns.find(run, "vs mmap")) {
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
    Set<String> before = listing(index);
    compare("--directories=niofs,pread --index=DIR/index --json=DIR/result.json")
        .ended(ExitCode.OK);
    Run run = RunFile.read(temp.resolve("result.json"));
    assertEquals(
        Stream.of(QueryKind.SORT, QueryKind.KNN).map(kind -> "compare: " + kind.label()).toList(),
        run.skipped().stream().map(Run.Skipped::what).toList());
    assertFalse(
        SyntheticRuns.find(run, "vs niofs").isEmpty(),
        "ratios to the first where mmap is not there");
    // All others are there, and the mean.
    assertEquals(
        QueryKind.values().length - 1,
        run.cells().stream().map(Cell::conditions).distinct().count());
    assertEquals(before, listing(index));
  }

  private static Set<String> listing(Path folder) throws IOException {
    Set<String> files = new HashSet<>();
    for (File file : folder.toFile().listFiles()) {
      files.add(file + " " + Files.getLastModifiedTime(file.toPath()) + " " + file.length());
    }
    return files;
  }

  @Test
  void otherHitsAreAMismatch() {
    String lying = FaultyDirectories.Lying.class.getName();
    Cli cli = compare("--corpus=DIR/corpus --work=DIR/work --directories=mmap," + lying);
    cli.ended(ExitCode.WRONG);
    assertFalse(Files.exists(temp.resolve("work/compare")), "the folder of the index is gone");
    Cli.assertNames(cli.err(), lying, QueryKind.SORT.label());
    assertFalse(cli.out().contains("queries/s"), cli.out());
  }

  @Test
  void unusableFolderIsOneLine() throws IOException {
    Path other = Files.writeString(Files.createDirectory(temp.resolve("compare")).resolve("x"), "");
    Files.createDirectory(temp.resolve("empty"));
    compare("--corpus=DIR/empty").says("--corpus");
    compare("--corpus=DIR/corpus --work=DIR").says("--work");
    assertTrue(Files.exists(other));
  }
}
