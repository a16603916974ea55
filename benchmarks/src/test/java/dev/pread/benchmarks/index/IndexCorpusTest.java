/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.index;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.benchmarks.UserError;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.StoredField;
import org.apache.lucene.document.StringField;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.Term;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.NIOFSDirectory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class IndexCorpusTest {
  @TempDir private Path temp;

  private static Document document(String id, Object... stored) {
    Document document = new Document();
    document.add(new StringField("id", id, Field.Store.NO));
    for (Object value : stored) {
      if (value instanceof byte[] bytes) {
        document.add(new StoredField("binary", bytes));
      } else if (value instanceof String text) {
        document.add(new StoredField("text", text));
      } else {
        document.add(new StoredField("number", ((Number) value).longValue()));
      }
    }
    return document;
  }

  private void write(Document... documents) throws IOException {
    try (Directory directory = new NIOFSDirectory(temp);
        IndexWriter writer = new IndexWriter(directory, new IndexWriterConfig())) {
      for (Document document : documents) {
        writer.addDocument(document);
      }
      writer.commit();
      writer.deleteDocuments(new Term("id", "deleted"));
    }
  }

  @Test
  void givesTheStoredTextOfLiveDocuments() throws Exception {
    write(
        document("a", "first", "second"),
        document("deleted", "gone"),
        document("none", 42),
        document("b", "{\"name\":\"\u00e4\"}".getBytes(StandardCharsets.UTF_8), 7),
        document("c", new byte[] {(byte) 0xff, 0}, "  ", "after bytes that are no text"));
    List<String> before;
    try (var files = Files.list(temp)) {
      before = files.map(Path::toString).sorted().toList();
    }
    List<Corpus.Text> texts = new ArrayList<>();
    try (IndexCorpus corpus = IndexCorpus.open(temp)) {
      assertEquals(0, corpus.progress());
      for (Corpus.Text text = corpus.next(); text != null; text = corpus.next()) {
        texts.add(text);
      }
      assertNull(corpus.next());
      assertEquals(1, corpus.progress());
    }
    assertEquals(
        List.of(
            new Corpus.Text("document 0", "first\nsecond\n"),
            new Corpus.Text("document 3", "{\"name\":\"\u00e4\"}\n"),
            new Corpus.Text("document 4", "after bytes that are no text\n")),
        texts);
    try (var files = Files.list(temp)) {
      assertEquals(before, files.map(Path::toString).sorted().toList(), "only read");
    }
  }

  @Test
  void saysWhereThereIsNoIndex() {
    UserError e = assertThrows(UserError.class, () -> IndexCorpus.open(temp));
    assertTrue(e.getMessage().contains("holds no Lucene index"), e.getMessage());
  }
}
