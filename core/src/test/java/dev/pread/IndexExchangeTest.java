/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.IntPoint;
import org.apache.lucene.document.KnnFloatVectorField;
import org.apache.lucene.document.NumericDocValuesField;
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
import org.apache.lucene.search.Sort;
import org.apache.lucene.search.SortField;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FSLockFactory;
import org.apache.lucene.store.MMapDirectory;
import org.apache.lucene.store.NIOFSDirectory;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** An index that one directory has written is read, and written on, by any other. */
class IndexExchangeTest {

  private static final int DOCUMENTS = 150;
  private static final int DIMENSIONS = 8;

  /** The directories that an index may meet. */
  enum Kind {
    PREAD {
      @Override
      Directory open(Path path) throws IOException {
        return new PreadDirectory(path);
      }
    },
    DIRECT {
      @Override
      Directory open(Path path) throws IOException {
        return new TinyDirectDirectory(path, FSLockFactory.getDefault());
      }
    },
    NIO {
      @Override
      Directory open(Path path) throws IOException {
        return new NIOFSDirectory(path);
      }
    },
    MMAP {
      @Override
      Directory open(Path path) throws IOException {
        return new MMapDirectory(path);
      }
    };

    abstract Directory open(Path path) throws IOException;
  }

  @TempDir Path folder;

  @ParameterizedTest
  @CsvSource({"PREAD, NIO", "NIO, DIRECT", "DIRECT, MMAP", "MMAP, PREAD"})
  void whatOneHasWrittenTheOthersReadAndWriteOn(Kind first, Kind second) throws IOException {
    Path path = Files.createDirectory(folder.resolve("index"));
    int documents = 0;
    for (Kind writing : new Kind[] {first, second}) {
      write(writing, path, documents);
      documents += DOCUMENTS;
      List<String> expected = search(writing, path);
      assertTrue(expected.size() > 50, expected::toString);
      for (Kind reading : Kind.values()) {
        assertEquals(expected, search(reading, path), reading + " after " + writing);
        check(reading, path, documents);
      }
    }
  }

  /** Adds small segments to the index, and merges them with those that others have written. */
  private static void write(Kind kind, Path path, int from) throws IOException {
    Random random = new Random(Fixtures.SEED + from);
    IndexWriterConfig config = new IndexWriterConfig().setMaxBufferedDocs(DOCUMENTS / 5);
    try (Directory directory = kind.open(path);
        IndexWriter writer = new IndexWriter(directory, config)) {
      for (int i = from; i < from + DOCUMENTS; i++) {
        Document document = new Document();
        document.add(new StringField("id", "" + i, Field.Store.YES));
        StringBuilder body = new StringBuilder();
        for (int word = 0; word < 20; word++) {
          body.append("w").append(random.nextInt(30)).append(' ');
        }
        document.add(new TextField("body", body.toString(), Field.Store.YES));
        document.add(new NumericDocValuesField("rank", random.nextInt()));
        document.add(new IntPoint("point", random.nextInt(1000)));
        document.add(new KnnFloatVectorField("vector", vector(random)));
        writer.addDocument(document);
      }
      writer.forceMerge(2);
    }
  }

  private static float[] vector(Random random) {
    float[] vector = new float[DIMENSIONS];
    for (int i = 0; i < DIMENSIONS; i++) {
      vector[i] = random.nextFloat();
    }
    return vector;
  }

  private static List<String> search(Kind kind, Path path) throws IOException {
    Random random = new Random(Fixtures.SEED);
    List<String> found = new ArrayList<>();
    try (Directory directory = kind.open(path);
        DirectoryReader reader = DirectoryReader.open(directory)) {
      IndexSearcher searcher = new IndexSearcher(reader);
      List<Query> queries =
          List.of(
              new TermQuery(new Term("body", "w7")),
              new TermQuery(new Term("id", "17")),
              IntPoint.newRangeQuery("point", 100, 300),
              new KnnFloatVectorQuery("vector", vector(random), 10));
      for (Query query : queries) {
        Sort sort = new Sort(new SortField("rank", SortField.Type.LONG));
        for (ScoreDoc hit : searcher.search(query, 20, sort).scoreDocs) {
          found.add(hit.doc + " " + searcher.storedFields().document(hit.doc));
        }
        for (ScoreDoc hit : searcher.search(query, 20).scoreDocs) {
          found.add(hit.doc + " scores " + hit.score);
        }
      }
    }
    return found;
  }

  private static void check(Kind kind, Path path, int documents) throws IOException {
    try (Directory directory = kind.open(path);
        CheckIndex check = new CheckIndex(directory)) {
      CheckIndex.Status status = check.checkIndex();
      assertTrue(status.clean, kind::toString);
      assertEquals(documents, status.segmentInfos.stream().mapToInt(s -> s.maxDoc).sum());
    }
  }
}
