/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.search;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.benchmarks.Cli;
import dev.pread.benchmarks.FaultyDirectories;
import dev.pread.benchmarks.SampleText;
import dev.pread.benchmarks.index.IndexFiles;
import dev.pread.benchmarks.index.Kept;
import dev.pread.benchmarks.machine.Progress;
import dev.pread.benchmarks.machine.StopSignal;
import dev.pread.benchmarks.machine.WrongResult;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.StringField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.MultiTerms;
import org.apache.lucene.index.Term;
import org.apache.lucene.index.TermsEnum;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.NIOFSDirectory;
import org.apache.lucene.util.IOUtils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Scenarios on a small index: right answers are found right, and wrong ones are not. */
class ScenariosTest {
  private static long docs;
  private static final int VECTORS = 200;
  private static final String LYING = FaultyDirectories.Lying.class.getName();
  private Progress progress;

  @TempDir private static Path shared;
  @TempDir private Path temp;
  private StopSignal stop;
  private Directory directory;

  /** Built once and copied: each test may change its own. */
  @BeforeEach
  void copy() throws Exception {
    stop = new StopSignal();
    progress = new Progress(new PrintWriter(Writer.nullWriter()), stop);
    if (!Files.exists(shared.resolve("index"))) {
      SampleText.write(shared.resolve("text"));
      docs = prepare(shared, 1).documents();
    }
    Files.createFile(temp.resolve("log"));
    Files.writeString(temp.resolve("texts"), "one text\0and another\n");
    directory = new NIOFSDirectory(IndexFiles.link(shared.resolve("index"), index()));
  }

  private Path index() {
    return temp.resolve("index");
  }

  @AfterEach
  void close() throws IOException {
    IOUtils.close(stop::close, directory);
  }

  private Kept prepare(Path work, long bytes) throws Exception {
    return KeyedDocument.build(work, shared.resolve("text"), bytes, progress);
  }

  /** Built once for all tests, which do not change it. */
  private Path vectors(Scenario scenario) throws Exception {
    Path work = Files.createDirectories(shared.resolve(scenario.toString()));
    VectorIndex.build(work, scenario, VECTORS, progress);
    return work.resolve("index");
  }

  private ScenarioTask.Result run(String name, Scenario scenario, Double rate) throws Exception {
    Path source = !scenario.ofVectors() ? index() : vectors(scenario);
    ScenarioTask task =
        new ScenarioTask(
            name,
            scenario,
            WorkloadsCommand.folder(scenario, source, temp.resolve("slot")).toString(),
            temp.resolve("texts").toString(),
            temp.resolve("log").toString(),
            new ScenarioTask.Effort(2, 42, 0.01, 0.03, rate));
    try {
      return task.run();
    } finally {
      IOUtils.rm(temp.resolve("slot"));
    }
  }

  private static double figure(ScenarioTask.Result result, String metric) {
    return result.figures().samples().stream()
        .filter(sample -> sample.metric().name().equals(metric))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no " + metric + " in " + result))
        .value();
  }

  @Test
  void allScenariosGoThroughPread() throws Exception {
    for (Scenario scenario : Scenario.values()) {
      ScenarioTask.Result result = run("pread", scenario, 300.0);
      assertTrue(result.perSecond() > 0, result.toString());
      assertTrue(figure(result, "throughput") > 0, result.toString());
      assertTrue(!scenario.ofVectors() || figure(result, "recall") > 0, result.toString());
      assertTrue(figure(result, "p50") > 0, result.toString());
    }
    // What they began with is as it was.
    try (DirectoryReader reader = DirectoryReader.open(directory)) {
      assertEquals(docs, reader.numDocs());
      assertEquals(docs, reader.maxDoc());
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"FWD_RANGE", "REV_RANGE"})
  void lyingDocValuesAreDetected(Scenario scenario) throws Exception {
    try (IndexWriter writer = new IndexWriter(directory, new IndexWriterConfig())) {
      writer.forceMerge(1); // Few values are places in a table, which a wrong one may be beyond.
    }
    refused(() -> run(LYING, scenario, null), scenario, "doc values");
  }

  @ParameterizedTest
  @EnumSource(names = {"KNN", "KNN_RESCORE"})
  void neighboursThatAreNotThoseOfTheirScoresAreDetected(Scenario scenario) {
    WrongResult e = assertThrows(WrongResult.class, () -> run(LYING, scenario, null));
    // The query, the neighbour, the score it was found by, and its own.
    assertTrue(e.getMessage().matches(scenario + ":( \\D+ [\\d.E-]+){4}"), e.getMessage());
  }

  @Test
  void searchesThatMissTheTrueNeighboursAreDetected() throws Exception {
    Path other = IndexFiles.link(vectors(Scenario.KNN), temp.resolve("other"));
    try (Directory opened = new NIOFSDirectory(other);
        IndexWriter writer = new IndexWriter(opened, new IndexWriterConfig())) {
      writer.setLiveCommitData(Map.of("true neighbours", "-1\n-2").entrySet());
      writer.commit();
      try (Neighbours neighbours = new Neighbours(opened, Scenario.KNN)) {
        neighbours.search(1, 9);
        neighbours.verify();
        assertEquals(Double.NaN, neighbours.recall(), "no figure where nothing is known");
        neighbours.search(0, 9);
        refused(neighbours::verify, "0.00");
      }
    }
  }

  /** Replaces the document of key 6 by another one, or deletes it, and opens what is there then. */
  private DirectoryReader replace(Document by) throws Exception {
    try (IndexWriter writer = new IndexWriter(directory, new IndexWriterConfig())) {
      writer.deleteDocuments(new Term(KeyedDocument.KEY, KeyedDocument.term(6)));
      if (by != null) {
        writer.addDocument(by);
      }
    }
    return DirectoryReader.open(directory);
  }

  private static void refused(Executable lookup, Object... facts) {
    Cli.assertNames(assertThrows(WrongResult.class, lookup).getMessage(), facts);
  }

  @Test
  void documentThatIsNotTheOneAskedForIsDetected() throws Exception {
    Document other = KeyedDocument.of(5, 0, "text");
    other.removeFields(KeyedDocument.KEY);
    other.add(new Field(KeyedDocument.KEY, KeyedDocument.term(6), StringField.TYPE_STORED));
    try (DirectoryReader reader = replace(other)) {
      KeyReader keys = new KeyReader(reader);
      refused(() -> keys.fetch(6), "checksum");
      Document stored = reader.storedFields().document(keys.find(7));
      refused(() -> KeyedDocument.check(stored, 5), 5, KeyedDocument.term(7).utf8ToString());
      assertTrue(keys.fetch(7).body().length() > 0);
      stored.removeFields("version");
      refused(() -> KeyedDocument.check(stored, 7), "checksum");
    }
  }

  @Test
  void missingKeyIsDetectedByAll() throws Exception {
    try (DirectoryReader reader = replace(null)) {
      KeyReader keys = new KeyReader(reader);
      refused(() -> keys.fetch(6), 6);
      refused(() -> keys.forward(4, 5), 6);
      refused(() -> keys.reverse(8, 5), 6);
      refused(() -> keys.forward(docs - 2, 5), docs, "end");
    }
  }

  @Test
  void lostDocumentsAreDetected() throws Exception {
    try (Writes writes = new Writes(directory, List.of("seven"), false)) {
      writes.write(0, 1);
      writes.writer().commit();
      writes.verify(docs);
      assertThrows(WrongResult.class, () -> writes.verify(docs + 1));
    }
  }

  @Test
  void keysAreDenseAndUniqueOverAllCopiesOfTheText() throws Exception {
    Path work = Files.createDirectory(temp.resolve("many"));
    Kept many = prepare(work, 2 << 20);
    assertTrue(many.copies() > 10.5, "copies: " + many.copies());
    // The text is repeated until the index has two mebibytes, give or take the merges.
    long bytes = IndexFiles.bytes(IndexFiles.of(work.resolve("index")));
    assertTrue(bytes > 1_900_000 && bytes < 4_000_000, bytes + " bytes");
    try (Directory built = new NIOFSDirectory(work.resolve("index"));
        DirectoryReader opened = DirectoryReader.open(built)) {
      assertEquals(many.documents(), opened.maxDoc());
      TermsEnum terms = MultiTerms.getTerms(opened, KeyedDocument.KEY).iterator();
      KeyReader keys = new KeyReader(opened);
      for (long key = 0; key < many.documents(); key++) {
        assertEquals(KeyedDocument.term(key), terms.next());
        assertEquals(1, terms.docFreq());
        assertTrue(keys.fetch(key).body().length() > 0);
      }
      assertNull(terms.next());
    }
  }
}
