///usr/bin/env jbang "$0" "$@" ; exit $?
/* SPDX-License-Identifier: Apache-2.0 */
//JAVA 22+
//DEPS dev.pread:lucene-pread-ffi:0.1.0
//DEPS org.apache.lucene:lucene-core:10.5.1
//RUNTIME_OPTIONS --enable-native-access=ALL-UNNAMED

import dev.pread.DirectPreadDirectory;
import dev.pread.PreadDirectory;
import java.nio.file.Path;
import org.apache.lucene.document.Document;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.NIOFSDirectory;

/**
 * Adds to one index through four directories in turn, and counts its documents: the files are
 * Lucene's, so there is nothing to convert. {@code jbang MoveAnIndex.java FOLDER}
 */
class MoveAnIndex {

  public static void main(String[] args) throws Exception {
    Path folder = Path.of(args[0]);
    try (Directory before = new NIOFSDirectory(folder)) {
      add(before);
    }
    try (Directory pread = new PreadDirectory(folder)) {
      add(pread);
    }
    try (Directory direct = new DirectPreadDirectory(folder)) {
      add(direct);
    }
    try (Directory back = new NIOFSDirectory(folder)) {
      add(back);
    }
  }

  private static void add(Directory directory) throws Exception {
    try (IndexWriter writer = new IndexWriter(directory, new IndexWriterConfig())) {
      writer.addDocument(new Document());
    }
    try (DirectoryReader reader = DirectoryReader.open(directory)) {
      System.out.println(reader.numDocs() + " documents in " + directory.getClass().getSimpleName());
    }
  }
}
