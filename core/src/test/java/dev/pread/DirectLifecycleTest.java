/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.KnnFloatVectorField;
import org.apache.lucene.document.LongPoint;
import org.apache.lucene.document.NumericDocValuesField;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.CheckIndex;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.SerialMergeScheduler;
import org.apache.lucene.index.StoredFields;
import org.apache.lucene.index.Term;
import org.apache.lucene.index.TieredMergePolicy;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.KnnFloatVectorQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.Sort;
import org.apache.lucene.search.SortField;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.store.ByteBuffersDirectory;
import org.apache.lucene.store.Directory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** An index's life on direct I/O: all it answers is what one in memory answers. */
class DirectLifecycleTest extends BackendTestCase {

  private static final int ROUNDS = 8;
  private static final int BATCH = 60 * Fixtures.EFFORT;

  /** What the index in memory answers. */
  private static List<String> expected;

  DirectLifecycleTest() {
    faults.withoutRecord();
  }

  /** Alignment 0: as the file system has it, or fallen back; the device is asked for each block. */
  @ParameterizedTest
  @CsvSource({"512, 9, 3000", "4096, 12, 8", "4096, 14, 300", "512, 0, 0", "0, 12, 64", "0, 0, 0"})
  void answersWhatAnIndexInMemoryAnswers(int alignment, int blockBits, int blocks)
      throws Exception {
    faults.simulateDirect(alignment);
    List<String> actual = new ArrayList<>();
    PreadConfig config = PreadConfig.builder().directWriteMinSize(0).build();
    try (BlockCache cache =
            blocks == 0 ? new BlockCache(0) : Fixtures.tinyCache(blocks, blockBits);
        DirectPreadDirectory directory = Fixtures.direct(folder, config, cache, backend)) {
      live(directory, actual);
      assertTrue(alignment == 0 || !directory.usesPageCache());
      assertTrue(blocks == 0 || cache.stats().misses() > 0, "" + cache.stats());
    }
    for (int i = 0; i < Math.min(expected.size(), actual.size()); i++) {
      assertEquals(expected.get(i), actual.get(i), "answer " + i);
    }
    assertEquals(expected.size(), actual.size());
  }

  @BeforeAll
  static void liveInMemory() throws IOException {
    expected = new ArrayList<>();
    try (Directory memory = new ByteBuffersDirectory()) {
      live(memory, expected);
    }
    assertTrue(expected.stream().distinct().count() > 100, "" + expected.size());
  }

  private static void live(Directory directory, List<String> transcript) throws IOException {
    Random random = new Random(Fixtures.SEED);
    IndexWriterConfig config =
        new IndexWriterConfig()
            .setMaxBufferedDocs(40)
            .setMergeScheduler(new SerialMergeScheduler())
            .setMergePolicy(new TieredMergePolicy().setSegmentsPerTier(3));
    try (IndexWriter writer = new IndexWriter(directory, config)) {
      DirectoryReader reader = DirectoryReader.open(writer);
      for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < BATCH; i++) {
          writer.addDocument(document(round * BATCH + i, random));
        }
        for (int i = 0; i < 10; i++) {
          writer.deleteDocuments(new Term("id", "" + random.nextInt((round + 1) * BATCH)));
        }
        if (round % 3 == 1) {
          writer.commit();
        }
        if (round == 5) {
          writer.forceMerge(1);
        }
        DirectoryReader changed = DirectoryReader.openIfChanged(reader);
        if (changed != null) {
          reader.close();
          reader = changed;
        }
        search(reader, random, transcript);
      }
      reader.close();
      writer.forceMerge(2);
    }
    try (DirectoryReader reader = DirectoryReader.open(directory)) {
      search(reader, random, transcript);
    }
    try (CheckIndex check = new CheckIndex(directory)) {
      LuceneCalls.checkEverything(check);
      assertTrue(check.checkIndex().clean);
    }
  }

  private static Document document(int id, Random random) {
    Document document = new Document();
    document.add(new StringField("id", "" + id, Field.Store.YES));
    StringBuilder body = new StringBuilder();
    for (int i = 0; i < 60; i++) {
      body.append(" w").append((int) Math.abs(random.nextGaussian() * 200));
    }
    document.add(new TextField("body", body.toString(), Field.Store.YES));
    document.add(new NumericDocValuesField("rank", random.nextInt(1 << 20)));
    document.add(new LongPoint("point", random.nextInt(10_000)));
    float[] vector = new float[32];
    for (int i = 0; i < vector.length; i++) {
      // Whole numbers, whose sums don't depend on the order in which vector units add them.
      vector[i] = random.nextInt(16);
    }
    document.add(new KnnFloatVectorField("vector", vector));
    return document;
  }

  private static void search(DirectoryReader reader, Random random, List<String> transcript)
      throws IOException {
    IndexSearcher searcher = new IndexSearcher(reader);
    transcript.add(reader.numDocs() + " of " + reader.maxDoc());
    float[] target = new float[32];
    target[random.nextInt(32)] = 1;
    List<Query> queries =
        List.of(
            new TermQuery(new Term("body", "w3")),
            new TermQuery(new Term("body", "w" + random.nextInt(300))),
            LongPoint.newRangeQuery("point", 2000, 2000 + random.nextInt(3000)),
            new KnnFloatVectorQuery("vector", target, 10));
    StoredFields stored = searcher.storedFields();
    Sort byRank = new Sort(new SortField("rank", SortField.Type.LONG));
    for (Query query : queries) {
      transcript.add(query + ": " + searcher.count(query));
      for (ScoreDoc hit : searcher.search(query, 10).scoreDocs) {
        transcript.add(hit.score + text(stored, hit));
      }
      for (ScoreDoc hit : searcher.search(query, 10, byRank).scoreDocs) {
        transcript.add(text(stored, hit));
      }
    }
  }

  private static String text(StoredFields stored, ScoreDoc hit) {
    try {
      Document document = stored.document(hit.doc);
      return " " + document.get("id") + " " + document.get("body").hashCode();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
