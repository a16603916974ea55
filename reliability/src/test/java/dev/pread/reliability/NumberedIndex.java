/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.reliability;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.function.LongConsumer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.KnnFloatVectorField;
import org.apache.lucene.document.LongPoint;
import org.apache.lucene.document.NumericDocValuesField;
import org.apache.lucene.document.StoredField;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.CheckIndex;
import org.apache.lucene.index.ConcurrentMergeScheduler;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.SerialMergeScheduler;
import org.apache.lucene.index.StoredFields;
import org.apache.lucene.index.Term;
import org.apache.lucene.index.TieredMergePolicy;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.KnnFloatVectorQuery;
import org.apache.lucene.search.MatchAllDocsQuery;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.Sort;
import org.apache.lucene.search.SortField;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.search.TopDocs;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.NIOFSDirectory;

/**
 * An index whose contents follow from a seed and one number: that of the last operation it has
 * seen, which each commit carries with it. So whoever finds the index knows what must be in it.
 */
final class NumberedIndex {

  private static final String LAST_NUMBER_KEY = "last";
  private static final int UPDATED_IDS = 100;
  private static final int KEPT_DOCUMENTS = 100;

  private final long seed;

  /**
   * @param seed an even one has merges made by the thread that writes, an odd one by others
   */
  NumberedIndex(long seed) {
    this.seed = seed;
  }

  private SplittableRandom random(long number) {
    return new SplittableRandom(seed + number * 0x9E3779B97F4A7C15L);
  }

  // ---- what happens to it ----

  /**
   * Goes on where the index has stopped: adds, updates, deletes, searches what is not yet
   * committed, merges, and commits now and then and in the end.
   *
   * @param committed is given the number of each commit that has returned
   */
  void work(Directory directory, long operations, LongConsumer committed) throws IOException {
    IndexWriter writer = new IndexWriter(directory, config());
    try {
      long last = last(writer.getLiveCommitData());
      work(writer, last + 1, last + operations, committed);
      writer.close();
    } catch (Throwable t) {
      try {
        writer.rollback();
      } catch (IOException | RuntimeException e) {
        t.addSuppressed(e);
      }
      throw t;
    }
  }

  private void work(IndexWriter writer, long from, long to, LongConsumer committed)
      throws IOException {
    DirectoryReader reader = DirectoryReader.open(writer);
    try {
      for (long number = from; number <= to; number++) {
        apply(writer, number);
        SplittableRandom random = random(-number);
        if (random.nextInt(12) == 0) {
          DirectoryReader newer = DirectoryReader.openIfChanged(reader, writer);
          if (newer != null) {
            try (DirectoryReader older = reader) {
              reader = newer;
              assertTrue(older.getVersion() < newer.getVersion());
            }
            checkContents(reader, number);
          }
        }
        if (random.nextInt(60) == 0) {
          writer.forceMerge(2);
        }
        if (random.nextInt(15) == 0 || number == to) {
          writer.setLiveCommitData(Map.of(LAST_NUMBER_KEY, Long.toString(number)).entrySet());
          writer.commit();
          committed.accept(number);
        }
      }
    } finally {
      reader.close();
    }
  }

  private IndexWriterConfig config() {
    SplittableRandom random = random(0);
    boolean compound = random.nextBoolean();
    TieredMergePolicy merges = new TieredMergePolicy().setSegmentsPerTier(2);
    merges.setNoCFSRatio(compound ? 1 : 0);
    return new IndexWriterConfig()
        .setMaxBufferedDocs(5 + random.nextInt(20))
        .setUseCompoundFile(random.nextBoolean())
        .setMergePolicy(merges)
        .setMergeScheduler((seed & 1) == 0 ? new SerialMergeScheduler() : new Merges());
  }

  private static final class Merges extends ConcurrentMergeScheduler {
    @Override
    protected void handleMergeException(Throwable failure) {
      // The writer knows of it, and tells whoever uses it next.
      assertTrue(failure != null);
    }
  }

  private void apply(IndexWriter writer, long number) throws IOException {
    String updated = updated(number);
    switch (kind(number)) {
      case 0 -> writer.deleteDocuments(new Term("id", updated));
      case 1, 2, 3 -> writer.updateDocument(new Term("id", updated), document(updated, number));
      default -> {
        writer.addDocument(document("a" + number, number));
        writer.deleteDocuments(new Term("id", "a" + (number - KEPT_DOCUMENTS)));
      }
    }
  }

  private int kind(long number) {
    return random(number).nextInt(8);
  }

  private String updated(long number) {
    return "u" + random(number).split().nextInt(UPDATED_IDS);
  }

  private Document document(String id, long number) {
    Document document = new Document();
    document.add(new StringField("id", id, Field.Store.YES));
    document.add(new StoredField("number", number));
    document.add(new NumericDocValuesField("number", number));
    document.add(new LongPoint("number", number));
    document.add(new TextField("body", body(number), Field.Store.YES));
    document.add(new KnnFloatVectorField("vector", vector(number)));
    return document;
  }

  private String body(long number) {
    SplittableRandom random = random(number);
    StringBuilder body = new StringBuilder();
    for (int words = random.nextInt(10, 150); words > 0; words--) {
      body.append(Integer.toString(random.nextInt(1 << 12), Character.MAX_RADIX)).append(' ');
    }
    return body.toString();
  }

  private float[] vector(long number) {
    SplittableRandom random = random(number);
    return new float[] {random.nextInt(100), random.nextInt(100), 1, random.nextInt(100)};
  }

  // ---- what must be in it ----

  /**
   * Returns the number of the operation that wrote each document that is there after the first so
   * many.
   */
  private Map<String, Long> contents(long last) {
    Map<String, Long> contents = new HashMap<>();
    for (long number = 1; number <= last; number++) {
      switch (kind(number)) {
        case 0 -> contents.remove(updated(number));
        case 1, 2, 3 -> contents.put(updated(number), number);
        default -> {
          contents.put("a" + number, number);
          contents.remove("a" + (number - KEPT_DOCUMENTS));
        }
      }
    }
    return contents;
  }

  private void checkContents(DirectoryReader reader, long last) throws IOException {
    Map<String, Long> expected = contents(last);
    IndexSearcher searcher = new IndexSearcher(reader);
    StoredFields stored = searcher.storedFields();
    Sort byNumber = new Sort(new SortField("number", SortField.Type.LONG));
    TopDocs all =
        searcher.search(MatchAllDocsQuery.INSTANCE, 2 * (UPDATED_IDS + KEPT_DOCUMENTS), byNumber);
    long[] numbers = expected.values().stream().mapToLong(Long::longValue).sorted().toArray();
    long[] found = new long[all.scoreDocs.length];
    for (int i = 0; i < found.length; i++) {
      Document document = stored.document(all.scoreDocs[i].doc);
      found[i] = document.getField("number").numericValue().longValue();
      assertEquals(expected.get(document.get("id")), found[i], "number of " + document.get("id"));
      assertEquals(body(found[i]), document.get("body"));
    }
    assertArrayEquals(numbers, found, () -> Arrays.toString(numbers) + Arrays.toString(found));
    for (String id : List.of(updated(last), "a" + last, "a" + (last - KEPT_DOCUMENTS))) {
      int count = searcher.count(new TermQuery(new Term("id", id)));
      assertEquals(expected.containsKey(id) ? 1 : 0, count, id);
    }
    long middle = last / 2;
    assertEquals(
        Arrays.stream(numbers).filter(n -> n > middle).count(),
        searcher.count(LongPoint.newRangeQuery("number", middle + 1, last)));
    if (found.length > 0) {
      long newest = numbers[numbers.length - 1];
      ScoreDoc[] near =
          searcher.search(new KnnFloatVectorQuery("vector", vector(newest), 5), 5).scoreDocs;
      assertEquals(Math.min(5, numbers.length), near.length);
      String word = body(newest).substring(0, body(newest).indexOf(' '));
      assertTrue(searcher.count(new TermQuery(new Term("body", word))) > 0, word);
    }
  }

  /**
   * Checks, through Lucene's own directory, that the last commit in {@code folder} is that one or a
   * later one, that its contents are right, and that CheckIndex has nothing to say.
   *
   * @param acknowledged the number of the last commit that has returned; 0 where none has
   * @return the number of the last commit that is there
   */
  long check(Path folder, long acknowledged) throws IOException {
    try (Directory directory = new NIOFSDirectory(folder)) {
      if (acknowledged == 0 && !DirectoryReader.indexExists(directory)) {
        return 0;
      }
      long last;
      try (DirectoryReader reader = DirectoryReader.open(directory)) {
        last = checkCommit(reader);
        assertTrue(last >= acknowledged, last + " is there, " + acknowledged + " had returned");
      }
      try (CheckIndex check = new CheckIndex(directory)) {
        check.setThreadCount(1);
        check.setLevel(CheckIndex.Level.MIN_LEVEL_FOR_SLOW_CHECKS);
        assertTrue(check.checkIndex().clean, "CheckIndex finds faults in " + folder);
      }
      return last;
    }
  }

  /** Checks what a reader of a commit finds; returns the number of the commit. */
  long checkCommit(DirectoryReader reader) throws IOException {
    long last = last(reader.getIndexCommit().getUserData().entrySet());
    checkContents(reader, last);
    return last;
  }

  private static long last(Iterable<Map.Entry<String, String>> commitData) {
    if (commitData != null) {
      for (Map.Entry<String, String> entry : commitData) {
        if (entry.getKey().equals(LAST_NUMBER_KEY)) {
          return Long.parseLong(entry.getValue());
        }
      }
    }
    return 0;
  }

  /** Checks that a writer that opens the index and closes it leaves the files of its commit. */
  static void checkNothingIsLeftOver(Directory directory) throws IOException {
    new IndexWriter(directory, new IndexWriterConfig().setCommitOnClose(false)).close();
    assertEquals(List.of(), leftOver(directory));
  }

  /** Returns the files that are not of the last commit. */
  static List<String> leftOver(Directory directory) throws IOException {
    TreeSet<String> files = new TreeSet<>(List.of(directory.listAll()));
    files.remove(IndexWriter.WRITE_LOCK_NAME);
    if (DirectoryReader.indexExists(directory)) {
      try (DirectoryReader reader = DirectoryReader.open(directory)) {
        files.removeAll(reader.getIndexCommit().getFileNames());
      }
    }
    return List.copyOf(files);
  }

  /**
   * Returns whether {@code t} or one of its causes is of that errno, and names a file in that
   * folder.
   */
  static boolean isTold(Throwable t, Path folder, String errno) {
    if (t == null) {
      return false;
    }
    boolean tells =
        t instanceof FileSystemException
            && t.getMessage().startsWith(folder.toString())
            && t.getMessage().contains(errno);
    return tells
        || isTold(t.getCause(), folder, errno)
        || Arrays.stream(t.getSuppressed()).anyMatch(s -> isTold(s, folder, errno));
  }
}
