/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.posix.Backend;
import dev.pread.posix.Errno;
import dev.pread.posix.FaultSystemCalls.Function;
import dev.pread.posix.OpenMode;
import dev.pread.posix.PosixFile;
import dev.pread.posix.TimedBackend;
import dev.pread.store.FreshFiles;
import dev.pread.store.InputOpener;
import dev.pread.store.ReadPlan;
import java.io.IOException;
import java.nio.file.CopyOption;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.NumericDocValuesField;
import org.apache.lucene.document.StringField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.NoMergePolicy;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FlushInfo;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.apache.lucene.store.IndexOutput;
import org.apache.lucene.tests.mockfile.FilterFileSystem;
import org.apache.lucene.tests.mockfile.FilterFileSystemProvider;
import org.apache.lucene.tests.mockfile.FilterPath;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What has been flushed is in the cache when it is first searched, and never in the way. */
class FreshFilesTest extends BackendTestCase {

  private static final int LENGTH = 10_000;

  private final BlockCache cache = Fixtures.tinyCache(1024, 12);

  /** Whether the backend can tell that a file that is opened is the one that was written. */
  private boolean knowsInodes;

  @BeforeEach
  void look() throws Exception {
    Path probe = Files.write(folder.resolve("probe"), new byte[1]);
    try (PosixFile file = Fixtures.backend().open(probe, OpenMode.READ)) {
      knowsInodes = file.inode() != 0;
    }
  }

  @AfterEach
  void close() throws Exception {
    cache.close();
  }

  private Directory directory() throws IOException {
    return Fixtures.directory(folder, PreadConfig.DEFAULT, cache, backend);
  }

  private static byte[] content(long seed) {
    return Fixtures.randomBytes(seed, LENGTH);
  }

  private static void write(Directory directory, String name, byte[] bytes, IOContext context)
      throws IOException {
    try (IndexOutput output = directory.createOutput(name, context)) {
      output.writeBytes(bytes, bytes.length);
    }
  }

  private static void check(Directory directory, String name, byte[] expected) throws IOException {
    try (IndexInput input = directory.openInput(name, IOContext.DEFAULT)) {
      byte[] read = new byte[expected.length];
      input.readBytes(read, 0, read.length);
      assertArrayEquals(expected, read, name);
      assertEquals(expected.length, input.length());
    }
  }

  private long reads() {
    return faults.count(Function.PREAD) + faults.count(Function.PREADV);
  }

  @Test
  void aFlushedFileIsReadWithoutACall() throws Exception {
    try (Directory direct = Fixtures.direct(folder, PreadConfig.DEFAULT, cache, backend);
        Directory buffered = directory()) {
      for (Directory directory : List.of(direct, buffered)) {
        // The first file that is read tells whether direct I/O works.
        directory.openInput("probe", IOContext.DEFAULT).close();
        String name = "f" + directory.getClass().getSimpleName();
        write(directory, name, content(1), Fixtures.FLUSH);
        assertEquals(knowsInodes ? 1 : 0, backend.openFiles(), "kept until it is opened");
        faults.forget();
        check(directory, name, content(1));
        assertEquals(knowsInodes, reads() == 0, reads() + " reads");
        assertEquals(0, backend.openFiles());
        check(directory, name, content(1));
        assertTrue(reads() > 0, "it was to be forgotten");
      }
    }
  }

  @Test
  void onlyFlushedFilesThatAreSmallForTheCacheAreKept() throws Exception {
    int most = (int) cache.size() / 64;
    try (Directory directory = directory()) {
      write(directory, "default", content(1), IOContext.DEFAULT);
      write(directory, "merge", content(1), Fixtures.MERGE);
      write(directory, "empty", new byte[0], Fixtures.FLUSH);
      write(directory, "large", new byte[most + 1], Fixtures.FLUSH);
      // What Solr says of files that it copies from another node.
      FlushInfo notCached = new FlushInfo(10_000_000, 100_000_000_000L);
      write(directory, "copied", new byte[most], LuceneCalls.flush(notCached));
      assertEquals(0, reads());
      assertEquals(0, backend.openFiles());
      write(directory, "small", new byte[most], Fixtures.FLUSH);
      assertEquals(knowsInodes ? 1 : 0, backend.openFiles());
    }
  }

  /** Each would cost a descriptor. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void allThatIsKeptIsOpenedByNearRealTimeReaders(boolean isCompound) throws Exception {
    IndexWriterConfig config =
        new IndexWriterConfig()
            .setUseCompoundFile(isCompound)
            .setMergePolicy(NoMergePolicy.INSTANCE);
    try (Directory directory = directory()) {
      try (IndexWriter writer = new IndexWriter(directory, config)) {
        for (int i = 0; i < 3; i++) {
          Document document = new Document();
          document.add(new StringField("f", "v" + i, Field.Store.YES));
          document.add(new NumericDocValuesField("n", i));
          writer.addDocument(document);
          try (DirectoryReader reader = DirectoryReader.open(writer)) {
            assertEquals(i + 1, reader.numDocs());
          }
        }
        writer.commit();
      }
      assertEquals(0, backend.openFiles());
    }
  }

  @Test
  void whereTheSameFileCanNotBeKnownAgainNothingIsReadInVain() throws Exception {
    try (Directory directory = directory()) {
      write(directory, "f", content(1), Fixtures.FLUSH);
      assertEquals(knowsInodes, reads() > 0);
      assertEquals(knowsInodes, cache.stats().blocksRead() > 0);
    }
  }

  @Test
  void namesThatAreWrittenAgainHaveNewBytes() throws Exception {
    try (Directory directory = directory()) {
      for (int i = 0; i < 5; i++) {
        write(directory, "again", content(i), Fixtures.FLUSH);
        if (i % 2 == 0) {
          check(directory, "again", content(i));
        }
        directory.deleteFile("again");
        assertThrows(
            NoSuchFileException.class, () -> directory.openInput("again", IOContext.DEFAULT));
        assertEquals(0, backend.openFiles());
      }
      write(directory, "pending", content(10), Fixtures.FLUSH);
      write(directory, "target", content(11), Fixtures.FLUSH);
      directory.rename("pending", "target");
      assertEquals(0, backend.openFiles(), "neither name means what it meant");
      check(directory, "target", content(10));
      write(directory, "pending", content(12), Fixtures.FLUSH);
      check(directory, "pending", content(12));
      check(directory, "target", content(10));
      write(directory, "behind", content(13), Fixtures.FLUSH);
      // Another process may have done this.
      Files.delete(folder.resolve("behind"));
      Files.write(folder.resolve("behind"), content(14));
      check(directory, "behind", content(14));
    }
  }

  @Test
  void onlySoManyAreKeptOpen() throws Exception {
    try (Directory directory = directory()) {
      for (int i = 0; i < 100; i++) {
        write(directory, "f" + i, content(i), Fixtures.FLUSH);
        assertTrue(backend.openFiles() <= 32, "" + backend.openFiles());
      }
      assertEquals(knowsInodes ? 32 : 0, backend.openFiles());
      faults.forget();
      for (int i = 99; i >= 0; i--) {
        check(directory, "f" + i, content(i));
        if (knowsInodes) {
          assertEquals(i < 68, reads() > 0, "the last ones are kept, " + i);
        }
      }
      assertEquals(0, backend.openFiles());
      write(directory, "last", content(7), Fixtures.FLUSH);
    }
    assertEquals(0, backend.openFiles(), "the directory takes them along");
  }

  /** Commits and connections need the rest. */
  @Test
  void noneIsKeptOpenWhenHalfOfTheDescriptorsAreInUse() throws Exception {
    Backend few = TimedBackend.of(faults, System::nanoTime, 6);
    try (Directory directory = Fixtures.directory(folder, PreadConfig.DEFAULT, cache, few)) {
      for (int i = 0; i < 10; i++) {
        write(directory, "f" + i, content(i), Fixtures.FLUSH);
        assertTrue(few.openFiles() <= 3, "" + few.openFiles());
      }
      assertEquals(knowsInodes, few.openFiles() > 0);
      check(directory, "f9", content(9));
    }
    assertEquals(0, few.openFiles());
  }

  @Test
  void noneIsKeptOpenJustAfterTheLastDescriptorWasTaken() throws Exception {
    try (Directory directory = directory()) {
      faults.forget();
      faults.on(Function.OPEN).from(2).fail(Errno.EMFILE);
      write(directory, "f0", content(0), Fixtures.FLUSH);
      assertEquals(2, faults.count(Function.OPEN));
      faults.calm();
      faults.forget();
      write(directory, "f1", content(1), Fixtures.FLUSH);
      assertEquals(1, faults.count(Function.OPEN), "to be written alone");
      check(directory, "f1", content(1));
    }
  }

  @Test
  void anOutputThatOutlivesItsDirectoryKeepsNothingOpen() throws Exception {
    Directory directory = directory();
    IndexOutput output = directory.createOutput("f", Fixtures.FLUSH);
    output.writeBytes(content(1), LENGTH);
    directory.close();
    output.close();
    assertArrayEquals(content(1), Files.readAllBytes(folder.resolve("f")));
  }

  /** Whatever fails on the way into the cache, the file is written. */
  @Test
  void theFlushIsGoodAlsoWhereTheFileCanNotBeReadBack() throws Exception {
    List<Runnable> troubles =
        List.of(
            () -> faults.on(Function.OPEN).from(2).fail(Errno.EMFILE),
            () -> faults.on(Function.FSTAT).from(2).fail(Errno.EIO),
            () -> faults.on(Function.PREADV).always().fail(Errno.EIO),
            () -> faults.on(Function.PREADV).always().answer(0),
            () -> faults.on(Function.CLOSE).from(2).fail(Errno.EIO),
            () -> faults.on(Function.OPEN).from(2).first(FreshFilesTest::runOutOfMemory),
            () -> faults.on(Function.PREADV).always().first(FreshFilesTest::runOutOfMemory),
            () -> faults.on(Function.OPEN).from(2).first(FreshFilesTest::runOutOfStack),
            () -> faults.on(Function.OPEN).from(2).first(FreshFilesTest::fail),
            () -> faults.on(Function.PREADV).always().first(FreshFilesTest::fail),
            () -> deleteAtOpen());
    for (int i = 0; i < troubles.size(); i++) {
      // One that had no descriptor left would not try again.
      Backend fresh = new Backend(faults);
      Directory directory = Fixtures.directory(folder, PreadConfig.DEFAULT, cache, fresh);
      faults.forget();
      troubles.get(i).run();
      String name = "f" + i;
      IndexOutput output = directory.createOutput(name, Fixtures.FLUSH);
      output.writeBytes(content(i), LENGTH);
      output.close();
      assertEquals(2, faults.count(Function.OPEN), "it was opened to be read, trouble " + i);
      faults.calm();
      if (i < troubles.size() - 1) {
        check(directory, name, content(i));
      }
      directory.close();
      assertEquals(0, fresh.openFiles(), "trouble " + i);
    }
  }

  @Test
  void aLogThatFailsFailsNoFlush() throws Exception {
    try (FailingLog log = new FailingLog("dev.pread.BasePreadDirectory");
        Directory directory = directory()) {
      faults.forget();
      faults.on(Function.OPEN).from(2).first(FreshFilesTest::fail);
      write(directory, "f", content(1), Fixtures.FLUSH);
      faults.calm();
      check(directory, "f", content(1));
      assertEquals(1, log.told());
    }
  }

  private static void runOutOfMemory() {
    throw new OutOfMemoryError("by script");
  }

  private static void runOutOfStack() {
    throw new StackOverflowError("by script");
  }

  private static void fail() {
    throw new IllegalStateException("by script");
  }

  private void deleteAtOpen() {
    faults
        .on(Function.OPEN)
        .at(2)
        .first(
            () -> {
              try {
                Files.delete(folder.resolve("f9"));
              } catch (IOException e) {
                throw new AssertionError(e);
              }
            });
  }

  @Test
  void aDescriptorThatFailsToCloseFailsNoOpen() throws Exception {
    try (Directory directory = directory()) {
      write(directory, "f", content(1), Fixtures.FLUSH);
      faults.forget();
      faults.on(Function.CLOSE).at(1).fail(Errno.EIO);
      IndexInput input = directory.openInput("f", IOContext.DEFAULT);
      faults.calm();
      byte[] read = new byte[LENGTH];
      input.readBytes(read, 0, LENGTH);
      assertArrayEquals(content(1), read);
      input.close();
    }
  }

  @Test
  void anInputThatIsNotHandedOutGivesUpItsPartInTheCache() throws Exception {
    Assumptions.assumeTrue(knowsInodes, "this backend can't know a file again, so none is kept");
    try (Directory directory = directory()) {
      write(directory, "f", content(1), Fixtures.FLUSH);
      faults.forget();
      faults.on(Function.CLOSE).at(1).first(FreshFilesTest::fail);
      assertThrows(IllegalStateException.class, () -> directory.openInput("f", IOContext.DEFAULT));
      assertEquals(0, backend.openFiles());
      assertEquals(0, cache.stats().blocks());
    }
  }

  /** What happens to a name while the file is still being read into the cache. */
  private void checkNothingIsKeptAfter(MeanwhileAction action) throws Exception {
    try (Directory directory = directory()) {
      faults.forget();
      faults.on(Function.FSTAT).at(2).first(() -> run(action, directory));
      write(directory, "f", content(1), Fixtures.FLUSH);
      faults.calm();
      assertEquals(0, backend.openFiles(), "of a file that is not behind its name any more");
      assertEquals(0, cache.stats().blocks());
    }
  }

  private interface MeanwhileAction {
    void run(Directory directory) throws IOException;
  }

  private static void run(MeanwhileAction action, Directory directory) {
    try {
      action.run(directory);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aFileThatIsDeletedWhileItIsReadIsNotKept() throws Exception {
    checkNothingIsKeptAfter(directory -> directory.deleteFile("f"));
  }

  @Test
  void aFileThatIsRenamedWhileItIsReadIsNotKept() throws Exception {
    checkNothingIsKeptAfter(directory -> directory.rename("f", "g"));
  }

  @Test
  void aFileThatIsReplacedWhileItIsReadIsNotKept() throws Exception {
    Files.write(folder.resolve("g"), content(2));
    checkNothingIsKeptAfter(directory -> directory.rename("g", "f"));
    assertArrayEquals(content(2), Files.readAllBytes(folder.resolve("f")));
  }

  @Test
  void aFileThatIsOpenedWhileItIsReadIsNotKept() throws Exception {
    checkNothingIsKeptAfter(directory -> directory.openInput("f", IOContext.DEFAULT).close());
  }

  @Test
  void aFileThatIsWrittenAgainWhileItIsReadIsTheOneThatIsKept() throws Exception {
    try (Directory directory = directory()) {
      faults.forget();
      faults
          .on(Function.FSTAT)
          .at(2)
          .first(
              () ->
                  run(
                      d -> {
                        d.deleteFile("f");
                        write(d, "f", content(2), Fixtures.FLUSH);
                      },
                      directory));
      write(directory, "f", content(1), Fixtures.FLUSH);
      faults.calm();
      assertEquals(knowsInodes ? 1 : 0, backend.openFiles());
      faults.forget();
      check(directory, "f", content(2));
      assertEquals(knowsInodes, reads() == 0, reads() + " reads");
      assertEquals(0, backend.openFiles());
    }
  }

  /** Deletes and moves as the host does, after something else has happened. */
  private static final class LateFileSystem extends FilterFileSystemProvider {

    private IOUnit before = () -> {};

    LateFileSystem() {
      super("late://", FileSystems.getDefault());
    }

    @Override
    public void delete(Path path) throws IOException {
      before.run();
      super.delete(path);
    }

    @Override
    public void move(Path source, Path target, CopyOption... options) throws IOException {
      before.run();
      super.move(source, target, options);
    }
  }

  private interface IOUnit {
    void run() throws IOException;
  }

  @Test
  void aFileThatIsReadWhileItIsBeingDeletedOrRenamedIsNotKept() throws Exception {
    LateFileSystem late = new LateFileSystem();
    try (Directory directory =
        Fixtures.directory(late.wrapPath(folder), PreadConfig.DEFAULT, cache, backend)) {
      for (MeanwhileAction action :
          List.<MeanwhileAction>of(d -> d.deleteFile("f"), d -> d.rename("f", "g"))) {
        IndexOutput output = directory.createOutput("f", Fixtures.FLUSH);
        output.writeBytes(content(1), LENGTH);
        late.before = output::close;
        action.run(directory);
        late.before = () -> {};
        assertEquals(0, backend.openFiles());
        assertEquals(0, cache.stats().blocks());
      }
    }
  }

  /** A path whose text can't be had for want of memory. */
  private static final class HeavyPath extends FilterPath {

    private boolean heavy;

    HeavyPath(FilterPath path) {
      super(path.unwrap(), (FilterFileSystem) path.getFileSystem());
    }

    @Override
    public String toString() {
      if (heavy) {
        throw new OutOfMemoryError("by script");
      }
      return super.toString();
    }
  }

  @Test
  void aFileThatFindsNoPlaceInTheCacheIsClosed() throws Exception {
    Assumptions.assumeTrue(knowsInodes, "this backend can't know a file again, so none is kept");
    HeavyPath path = new HeavyPath(new LateFileSystem().wrapPath(folder.resolve("probe")));
    InputOpener opener =
        new InputOpener(backend, cache.slots(), new ReadPlan.Defaults(512, 512, false, false));
    try (FreshFiles fresh = new FreshFiles(opener)) {
      assertThrows(OutOfMemoryError.class, () -> fresh.add("probe", () -> openThenWeigh(path)));
      assertEquals(0, backend.openFiles());
      path.heavy = false;
      fresh.add("probe", () -> backend.open(path, OpenMode.READ));
      assertEquals(1, backend.openFiles());
    }
  }

  private PosixFile openThenWeigh(HeavyPath path) throws IOException {
    PosixFile file = backend.open(path, OpenMode.READ);
    path.heavy = true;
    return file;
  }
}
