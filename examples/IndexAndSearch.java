///usr/bin/env jbang "$0" "$@" ; exit $?
/* SPDX-License-Identifier: Apache-2.0 */
//JAVA 22+
//DEPS dev.pread:lucene-pread-ffi:0.1.0
//DEPS org.apache.lucene:lucene-core:10.5.1
//RUNTIME_OPTIONS --enable-native-access=ALL-UNNAMED

import dev.pread.PreadDirectory;
import java.nio.file.Path;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field.Store;
import org.apache.lucene.document.StringField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.store.Directory;

/** Makes an index in a new folder and searches it: {@code jbang IndexAndSearch.java FOLDER}. */
class IndexAndSearch {

  public static void main(String[] args) throws Exception {
    try (Directory directory = new PreadDirectory(Path.of(args[0]))) {
      try (IndexWriter writer = new IndexWriter(directory, new IndexWriterConfig())) {
        for (String author : new String[] {"Le Guin", "Lem", "Le Guin"}) {
          Document book = new Document();
          book.add(new StringField("author", author, Store.YES));
          writer.addDocument(book);
        }
      }
      try (DirectoryReader reader = DirectoryReader.open(directory)) {
        int found = new IndexSearcher(reader).count(new TermQuery(new Term("author", "Le Guin")));
        System.out.println(found + " books, read through " + directory);
      }
    }
  }
}
