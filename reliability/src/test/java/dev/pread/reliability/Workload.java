/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.reliability;

import dev.pread.Fixtures;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.KnnFloatVectorField;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.CheckIndex;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.KnnFloatVectorQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FSDirectory;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.apache.lucene.store.IndexOutput;
import org.apache.lucene.store.NIOFSDirectory;

/**
 * What the directories are for, each result of which is compared: with what was written, or with
 * what the JDK and Lucene's own directory read. It throws an {@link AssertionError} where they
 * differ.
 */
final class Workload {

  static final int FILE_BYTES = 300_001;
  private static final int DOCUMENTS = 300;
  private static final int DIMENSIONS = 24;

  /**
   * The number of documents that are left: twice as many as are indexed at a time, less what is
   * deleted, and an empty one each time.
   */
  private static final int DOCUMENTS_LEFT = 2 * DOCUMENTS - 2 + 2;

  /** What files are written with. */
  static final List<IOContext> WRITE_CONTEXTS =
      List.of(IOContext.DEFAULT, Fixtures.MERGE, Fixtures.FLUSH);

  private Workload() {}

  static byte[] content(int file) {
    return Fixtures.randomBytes(Fixtures.SEED + file, FILE_BYTES);
  }

  static List<String> files(Directory directory) throws IOException {
    return Arrays.stream(directory.listAll()).filter(name -> name.startsWith("file")).toList();
  }

  static void writeFiles(Directory directory) throws IOException {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < WRITE_CONTEXTS.size(); i++) {
      String temporary;
      try (IndexOutput output = directory.createTempOutput("new", "x", WRITE_CONTEXTS.get(i))) {
        output.writeBytes(content(i), FILE_BYTES);
        temporary = output.getName();
      }
      directory.sync(List.of(temporary));
      directory.rename(temporary, "file" + i);
      names.add("file" + i);
    }
    directory.syncMetaData();
    check(names, files(directory), "files");
  }

  static void readFiles(FSDirectory directory) throws IOException {
    Random random = new Random(Fixtures.SEED);
    for (String name : directory.listAll()) {
      byte[] bytes =
          name.startsWith("file")
              ? content(name.charAt(4) - '0')
              : Files.readAllBytes(directory.getDirectory().resolve(name));
      for (IOContext context : Fixtures.CONTEXTS) {
        try (IndexInput input = directory.openInput(name, context)) {
          check((long) bytes.length, input.length(), name + ": length");
          byte[] read = new byte[bytes.length];
          input.readBytes(read, 0, read.length);
          check(true, Arrays.equals(bytes, read), name + ", read in one go");
          for (int i = 0; i < 100 && bytes.length > Long.BYTES; i++) {
            readSomewhere(input, bytes, random, name);
          }
        }
      }
    }
  }

  private static void readSomewhere(IndexInput input, byte[] bytes, Random random, String name)
      throws IOException {
    int start = random.nextInt(bytes.length - Long.BYTES);
    int length = Long.BYTES + random.nextInt(Math.min(40_000, bytes.length - start - 7));
    IndexInput slice = random.nextBoolean() ? input.slice(name, start, length) : input.clone();
    int at = slice.length() == length ? 0 : start;
    if (random.nextBoolean()) {
      slice.prefetch(at, length);
    }
    slice.seek(at);
    ByteBuffer expected = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    expected.position(start).limit(start + length);
    Object wanted;
    Object got;
    switch (random.nextInt(5)) {
      case 0 -> {
        byte[] read = new byte[length];
        slice.readBytes(read, 0, length);
        wanted = expected;
        got = ByteBuffer.wrap(read);
      }
      case 1 -> {
        long[] read = new long[length / Long.BYTES];
        slice.readLongs(read, 0, read.length);
        wanted = expected.asLongBuffer();
        got = LongBuffer.wrap(read);
      }
      case 2 -> {
        int[] read = new int[length / Integer.BYTES];
        slice.readInts(read, 0, read.length);
        wanted = expected.asIntBuffer();
        got = IntBuffer.wrap(read);
      }
      case 3 -> {
        float[] read = new float[length / Float.BYTES];
        slice.readFloats(read, 0, read.length);
        // Bits are compared, since a NaN equals nothing.
        wanted = expected.asIntBuffer();
        IntBuffer bits = IntBuffer.allocate(read.length);
        for (int i = 0; i < read.length; i++) {
          bits.put(i, Float.floatToRawIntBits(read[i]));
        }
        got = bits;
      }
      default -> {
        wanted = expected.getLong(start + length - Long.BYTES);
        got = slice.randomAccessSlice(at, length).readLong(length - Long.BYTES);
      }
    }
    check(wanted, got, name + " at " + start + ", " + length + " bytes");
  }

  private static float[] vector(int document) {
    float[] vector = new float[DIMENSIONS];
    Random random = new Random(document);
    FloatBuffer values = FloatBuffer.wrap(vector);
    while (values.hasRemaining()) {
      values.put(random.nextFloat());
    }
    return vector;
  }

  /**
   * Flushes, deletes, commits and merges, twice.
   *
   * @param manyFiles whether one of these times without compound files, more of which are open at a
   *     time than a process with few descriptors can have
   */
  static void writeIndex(Directory directory, boolean manyFiles) throws IOException {
    for (int time = 0; time < 2; time++) {
      IndexWriterConfig config = new IndexWriterConfig();
      boolean compound = time == 1 || !manyFiles;
      config.setUseCompoundFile(compound);
      config.getMergePolicy().setNoCFSRatio(compound ? 1 : 0);
      config.setMaxBufferedDocs(DOCUMENTS / 3);
      try (IndexWriter writer = new IndexWriter(directory, config)) {
        for (int i = 0; i < DOCUMENTS; i++) {
          Document document = new Document();
          document.add(new StringField("id", time + "-" + i, Field.Store.YES));
          document.add(new TextField("text", "all " + i % 7 + " of " + i, Field.Store.YES));
          document.add(new KnnFloatVectorField("vector", vector(i)));
          writer.addDocument(document);
          if (i == DOCUMENTS / 2) {
            writer.deleteDocuments(new Term("id", time + "-" + (i - 50)));
            if (time == 1) {
              writer.commit();
            }
          }
        }
        writer.forceMerge(1 + time);
        writer.addDocument(new Document());
      }
    }
  }

  /** Compares with Lucene's own directory: the same files give the same answers. */
  static void search(FSDirectory directory) throws IOException {
    List<Query> queries = new ArrayList<>();
    for (int i = 0; i < 7; i++) {
      queries.add(new TermQuery(new Term("text", "" + i)));
      queries.add(new KnnFloatVectorQuery("vector", vector(i * 11), 10));
    }
    List<String> expected;
    try (FSDirectory reference = new NIOFSDirectory(directory.getDirectory())) {
      expected = answers(reference, queries);
    }
    check(false, expected.isEmpty(), "nothing is found");
    check(expected, answers(directory, queries), "answers");
  }

  private static List<String> answers(Directory directory, List<Query> queries) throws IOException {
    List<String> answers = new ArrayList<>();
    try (DirectoryReader reader = DirectoryReader.open(directory)) {
      check(DOCUMENTS_LEFT, reader.numDocs(), "documents");
      IndexSearcher searcher = new IndexSearcher(reader);
      for (Query query : queries) {
        for (ScoreDoc hit : searcher.search(query, 20).scoreDocs) {
          answers.add(query + ": " + hit.score + " " + searcher.storedFields().document(hit.doc));
        }
      }
    }
    return answers;
  }

  static void deleteAll(FSDirectory directory) throws IOException {
    try (CheckIndex check = new CheckIndex(directory)) {
      check(true, check.checkIndex().clean, "CheckIndex");
    }
    for (String name : directory.listAll()) {
      directory.deleteFile(name);
    }
    check(List.of(), Arrays.asList(directory.listAll()), "files left");
  }

  static void check(Object expected, Object actual, String what) {
    if (!expected.equals(actual)) {
      throw new AssertionError(what + ": " + actual + ", not " + expected);
    }
  }
}
