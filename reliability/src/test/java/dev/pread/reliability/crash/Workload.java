/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.reliability.crash;

import dev.pread.posix.Backend;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.IntPoint;
import org.apache.lucene.document.KnnFloatVectorField;
import org.apache.lucene.document.NumericDocValuesField;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.CodecReader;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.LogDocMergePolicy;
import org.apache.lucene.index.SerialMergeScheduler;
import org.apache.lucene.index.SlowCodecReaderWrapper;
import org.apache.lucene.index.Term;
import org.apache.lucene.misc.store.HardlinkCopyDirectoryWrapper;
import org.apache.lucene.search.Sort;
import org.apache.lucene.search.SortField;
import org.apache.lucene.store.Directory;

/**
 * An {@code IndexWriter} that does everything a writer does, in an order that depends on a seed, in
 * one thread. Beside it runs what should be in the index, and in each of its commits.
 *
 * <p>The seed decides what is done. The bytes differ from run to run all the same: Lucene gives its
 * segments random ids.
 */
final class Workload {

  /** The key of a commit's number in its user data. */
  static final String COMMIT = "commit";

  /** The field of a document's name. */
  static final String ID = "id";

  /** The field of its version, which is updated in place. */
  static final String VERSION = "version";

  private static final String RANK = "rank";

  private enum Step {
    ADD,
    UPDATE,
    UPDATE_IN_PLACE,
    DELETE,
    REOPEN,
    COMMIT,
    TWO_PHASE_COMMIT,
    MERGE,
    ADD_DIRECTORY,
    ADD_READERS,
    ROLLBACK,
    ROLLBACK_PREPARED,
    CLOSE
  }

  private final Path root;
  private final Storage storage;
  private final OperationLog log = new OperationLog();
  private final Backend backend;
  private final Random random;

  private final NavigableMap<Integer, Map<String, Long>> commits = new TreeMap<>();
  private Map<String, Long> documents = new TreeMap<>();
  private int nextDocument;
  private int nextCommit = 1;
  private int sources;

  private Directory directory;
  private IndexWriter writer;
  private DirectoryReader reader;

  private Workload(Path root, Storage storage, long seed) {
    // It is wrapped, since what FSDirectory does by java.nio is logged there.
    this.root = new LoggedFileSystem(log).wrapPath(root);
    this.storage = storage;
    this.backend = new Backend(LoggedSystemCalls.over(storage.calls(), log));
    this.random = new Random(seed);
  }

  /**
   * Writes an index in the folder {@code index} of {@code root}.
   *
   * @param rounds in each of which every step comes once
   */
  static Workload run(Path root, Storage storage, long seed, int rounds) throws IOException {
    Workload workload = new Workload(root, storage, seed);
    workload.open();
    try {
      List<Step> steps = new ArrayList<>(List.of(Step.values()));
      for (int round = 0; round < rounds; round++) {
        Collections.shuffle(steps, workload.random);
        for (Step step : steps) {
          workload.add(1 + workload.random.nextInt(8));
          workload.step(step);
        }
      }
    } finally {
      workload.close();
    }
    return workload;
  }

  /** Returns what was done. */
  List<Operation> log() {
    return log.operations();
  }

  /** Returns what is in each commit. */
  Map<Integer, Map<String, Long>> commits() {
    return commits;
  }

  /** Returns the configuration that the writers of all parts have. */
  static IndexWriterConfig config() {
    LogDocMergePolicy merges = new LogDocMergePolicy();
    merges.setMergeFactor(4);
    merges.setMinMergeDocs(8);
    return new IndexWriterConfig()
        .setMergeScheduler(new SerialMergeScheduler())
        .setMergePolicy(merges)
        .setIndexSort(new Sort(new SortField(RANK, SortField.Type.LONG)));
  }

  private void open() throws IOException {
    directory = storage.open(root.resolve("index"), backend);
    if (random.nextBoolean()) {
      directory = new HardlinkCopyDirectoryWrapper(directory);
    }
    writer = new IndexWriter(directory, config());
    reader = DirectoryReader.open(writer);
  }

  private void close() throws IOException {
    numberCommit();
    try (Directory closed = directory;
        DirectoryReader alsoClosed = reader) {
      writer.close();
      assert closed != null && alsoClosed != null;
    }
    returned();
  }

  private void step(Step step) throws IOException {
    boolean compound = random.nextBoolean();
    writer.getConfig().setUseCompoundFile(compound);
    writer.getConfig().getMergePolicy().setNoCFSRatio(compound ? 1 : 0);
    switch (step) {
      case ADD -> add(30);
      case UPDATE -> update();
      case UPDATE_IN_PLACE -> updateInPlace();
      case DELETE -> delete();
      case REOPEN -> reopen();
      case COMMIT -> commit();
      case TWO_PHASE_COMMIT -> {
        prepare();
        add(3);
        commitPrepared();
      }
      case MERGE -> writer.forceMerge(1 + random.nextInt(2));
      case ADD_DIRECTORY -> addDirectory();
      case ADD_READERS -> addReaders();
      case ROLLBACK -> rollback();
      case ROLLBACK_PREPARED -> {
        prepare();
        commits.remove(nextCommit - 1);
        rollback();
      }
      case CLOSE -> {
        close();
        open();
      }
    }
  }

  private void add(int count) throws IOException {
    for (int i = 0; i < count; i++) {
      String id = "d" + nextDocument++;
      writer.addDocument(document(id, 0));
      documents.put(id, 0L);
    }
  }

  private Document document(String id, long version) {
    Document document = new Document();
    document.add(new StringField(ID, id, Field.Store.YES));
    document.add(new NumericDocValuesField(VERSION, version));
    document.add(new NumericDocValuesField(RANK, random.nextInt(100)));
    document.add(new IntPoint("point", random.nextInt(100)));
    document.add(
        new KnnFloatVectorField("vector", new float[] {random.nextFloat(), random.nextFloat(), 1}));
    StringBuilder words = new StringBuilder();
    for (int i = random.nextInt(40); i >= 0; i--) {
      words.append("w").append(random.nextInt(1000)).append(' ');
    }
    document.add(new TextField("body", words.toString(), Field.Store.YES));
    return document;
  }

  /** Returns some of the documents. */
  private List<String> some() {
    List<String> ids = new ArrayList<>(documents.keySet());
    Collections.shuffle(ids, random);
    return ids.subList(0, Math.min(ids.size(), 5));
  }

  private void update() throws IOException {
    for (String id : some()) {
      long version = documents.merge(id, 1L, Long::sum);
      writer.updateDocument(new Term(ID, id), document(id, version));
    }
  }

  private void updateInPlace() throws IOException {
    for (String id : some()) {
      long version = documents.merge(id, 1L, Long::sum);
      writer.updateNumericDocValue(new Term(ID, id), VERSION, version);
    }
  }

  private void delete() throws IOException {
    for (String id : some()) {
      writer.deleteDocuments(new Term(ID, id));
      documents.remove(id);
    }
  }

  private void reopen() throws IOException {
    DirectoryReader newer = DirectoryReader.openIfChanged(reader, writer);
    if (newer != null) {
      reader.close();
      reader = newer;
    }
    if (!RecoveryCheck.contents(reader).equals(documents)) {
      throw new AssertionError("the workload is wrong about what it has written: " + documents);
    }
  }

  private void commit() throws IOException {
    numberCommit();
    writer.commit();
    returned();
  }

  private void prepare() throws IOException {
    numberCommit();
    writer.prepareCommit();
  }

  private void commitPrepared() throws IOException {
    writer.commit();
    returned();
  }

  private void numberCommit() {
    commits.put(nextCommit, new TreeMap<>(documents));
    writer.setLiveCommitData(Map.of(COMMIT, Integer.toString(nextCommit)).entrySet());
    nextCommit++;
  }

  private void returned() {
    log.add(new Operation.Returned(nextCommit - 1));
  }

  private void rollback() throws IOException {
    try (Directory closed = directory;
        DirectoryReader alsoClosed = reader) {
      writer.rollback();
      assert closed != null && alsoClosed != null;
    }
    documents = new TreeMap<>(commits.isEmpty() ? Map.of() : commits.lastEntry().getValue());
    open();
  }

  /** Takes another index's files as they are: copies of them, or links to them. */
  private void addDirectory() throws IOException {
    try (Directory source = source()) {
      writer.addIndexes(source);
    }
  }

  /** Merges another index's segments into one of this. */
  private void addReaders() throws IOException {
    try (Directory source = source();
        DirectoryReader added = DirectoryReader.open(source)) {
      List<CodecReader> readers = new ArrayList<>();
      for (LeafReaderContext leaf : added.leaves()) {
        readers.add(SlowCodecReaderWrapper.wrap(leaf.reader()));
      }
      writer.addIndexes(readers.toArray(new CodecReader[0]));
    }
  }

  /** Makes a small index in a folder of its own, with documents that are counted as added. */
  private Directory source() throws IOException {
    Directory source = storage.open(root.resolve("source" + sources++), backend);
    try (IndexWriter into = new IndexWriter(source, config())) {
      for (String id : Arrays.asList("d" + nextDocument++, "d" + nextDocument++)) {
        into.addDocument(document(id, 0));
        into.flush();
        documents.put(id, 0L);
      }
    }
    return source;
  }
}
