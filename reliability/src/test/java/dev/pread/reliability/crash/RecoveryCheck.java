/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.reliability.crash;

import dev.pread.posix.Backend;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.StringField;
import org.apache.lucene.index.CheckIndex;
import org.apache.lucene.index.CorruptIndexException;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexFileNames;
import org.apache.lucene.index.IndexNotFoundException;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.NumericDocValues;
import org.apache.lucene.index.SegmentInfos;
import org.apache.lucene.index.StoredFields;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.NIOFSDirectory;
import org.apache.lucene.util.Bits;

/** What has to hold of an index when the power is back. */
final class RecoveryCheck {

  private final Storage storage;
  private final Backend backend;
  private final Map<Integer, Map<String, Long>> commits;
  private int halfRemoved;

  /**
   * @param commits what is in each commit, by the number in its user data
   */
  RecoveryCheck(Storage storage, Map<Integer, Map<String, Long>> commits) {
    this.storage = storage;
    this.backend = new Backend(storage.calls());
    this.commits = commits;
  }

  /**
   * Checks the index in {@code folder}, and writes to it.
   *
   * @param returned the commit that must be there, unless there is a later one; 0 for none
   * @param inOrder whether the removals of names that survived are the first ones
   * @throws AssertionError if it is not, or has other contents than it had
   * @throws IOException as Lucene does if the index is damaged
   */
  void check(Path folder, int returned, boolean inOrder) throws IOException {
    try (Directory plain = new NIOFSDirectory(folder);
        Directory ours = storage.open(folder, backend)) {
      int commit = commit(plain);
      require(commit >= returned, "commit " + returned + " had returned, found is " + commit);
      require(commit(ours) == commit, "commit " + commit + " is not what our directory finds");
      if (!inOrder) {
        removeHalfRemoved(plain);
      }
      if (commit > 0) {
        checkIndex(ours);
      }
      writeOn(ours, commit);
    }
  }

  /**
   * Deletes the commits that are not the last and of which files are missing. When a commit
   * replaces another, Lucene deletes the old one's {@code segments_N} first and its other files
   * then, but makes nothing safe in between. Should that survive in another order, readers open the
   * last commit as ever, but an {@code IndexWriter} wants to read them all, over any directory.
   */
  private void removeHalfRemoved(Directory plain) throws IOException {
    String last = SegmentInfos.getLastCommitSegmentsFileName(plain);
    for (String file : plain.listAll()) {
      if (file.startsWith(IndexFileNames.SEGMENTS) && !file.equals(last) && !isWhole(plain, file)) {
        plain.deleteFile(file);
        halfRemoved++;
      }
    }
  }

  private static boolean isWhole(Directory directory, String commit) throws IOException {
    try {
      Set<String> files = Set.of(directory.listAll());
      return files.containsAll(SegmentInfos.readCommit(directory, commit).files(true));
    } catch (CorruptIndexException e) {
      // A segment that it wants to know more of is gone; anything else would be a fault.
      if (e.getCause() instanceof NoSuchFileException) {
        return false;
      }
      throw e;
    }
  }

  /** Returns how often there was such a commit. */
  int halfRemoved() {
    return halfRemoved;
  }

  /** Returns the number of the last commit, whose contents are checked; 0 where there is none. */
  private int commit(Directory directory) throws IOException {
    try (DirectoryReader reader = DirectoryReader.open(directory)) {
      int commit = Integer.parseInt(reader.getIndexCommit().getUserData().get(Workload.COMMIT));
      Map<String, Long> expected = commits.get(commit);
      require(expected != null, "commit " + commit + " was rolled back, or never made");
      Map<String, Long> found = contents(reader);
      require(expected.equals(found), "commit " + commit + ": " + found + ", not " + expected);
      return commit;
    } catch (IndexNotFoundException e) {
      return 0;
    }
  }

  /** Returns the live documents: their names, and the versions they have been brought to. */
  static Map<String, Long> contents(DirectoryReader reader) throws IOException {
    Map<String, Long> contents = new TreeMap<>();
    for (LeafReaderContext leaf : reader.leaves()) {
      StoredFields stored = leaf.reader().storedFields();
      NumericDocValues versions = leaf.reader().getNumericDocValues(Workload.VERSION);
      Bits live = leaf.reader().getLiveDocs();
      for (int doc = 0; doc < leaf.reader().maxDoc(); doc++) {
        if ((live == null || live.get(doc)) && versions.advanceExact(doc)) {
          String id = stored.document(doc).get(Workload.ID);
          require(contents.put(id, versions.longValue()) == null, id + " is there twice");
        }
      }
    }
    require(contents.size() == reader.numDocs(), "documents without a version: " + reader);
    return contents;
  }

  private static void checkIndex(Directory directory) throws IOException {
    ByteArrayOutputStream report = new ByteArrayOutputStream();
    try (CheckIndex check = new CheckIndex(directory)) {
      check.setLevel(CheckIndex.Level.MIN_LEVEL_FOR_INTEGRITY_CHECKS);
      check.setThreadCount(1);
      check.setInfoStream(new PrintStream(report, false, StandardCharsets.UTF_8));
      require(check.checkIndex().clean, report.toString(StandardCharsets.UTF_8));
    }
  }

  /** Whatever else lies there, a writer goes on from the commit. */
  private void writeOn(Directory directory, int commit) throws IOException {
    int before = commits.getOrDefault(commit, Map.of()).size();
    try (IndexWriter writer = new IndexWriter(directory, Workload.config())) {
      Document document = new Document();
      document.add(new StringField(Workload.ID, "after", Field.Store.YES));
      writer.addDocument(document);
      writer.commit();
    }
    try (DirectoryReader reader = DirectoryReader.open(directory)) {
      require(
          reader.numDocs() == before + 1,
          reader.numDocs() + " documents where one was added to " + before);
    }
  }

  private static void require(boolean condition, String otherwise) {
    if (!condition) {
      throw new AssertionError(otherwise);
    }
  }
}
