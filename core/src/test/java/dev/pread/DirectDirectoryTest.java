/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.posix.Advice;
import dev.pread.posix.OpenMode;
import dev.pread.posix.SystemCalls;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.NoMergePolicy;
import org.apache.lucene.index.SerialMergeScheduler;
import org.apache.lucene.index.TieredMergePolicy;
import org.apache.lucene.store.FSLockFactory;
import org.apache.lucene.store.FilterDirectory;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.apache.lucene.store.IndexOutput;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What the kernel says of a {@link DirectPreadDirectory}'s files; skipped where the file system of
 * the build folder has no {@code O_DIRECT}, and on the backend that can't ask for it.
 */
class DirectDirectoryTest {

  private static final int PAGE = 4096;
  private static final int LENGTH = 300 * PAGE + 1234;

  @TempDir Path folder;

  private final SystemCalls posix = Fixtures.nativeCalls();
  private final byte[] data = Fixtures.randomBytes(Fixtures.SEED, LENGTH);
  private final BlockCache cache = Fixtures.tinyCache(64, 12);

  @BeforeEach
  void askTheFileSystem() throws Exception {
    Fixtures.assumeDirectIo(Files.write(folder.resolve("probe"), data));
  }

  @AfterEach
  void nothingStaysOpen() throws Exception {
    cache.close();
    assertEquals(0, Fixtures.descriptorsIn(folder));
  }

  private DirectPreadDirectory directory(BlockCache with) throws IOException {
    PreadConfig config = PreadConfig.builder().cache(with).directWriteMinSize(0).build();
    return new DirectPreadDirectory(folder, FSLockFactory.getDefault(), config);
  }

  /**
   * Returns the names of this process's open files in {@link #folder} that are, or are not, direct.
   */
  private List<String> open(boolean direct) throws IOException {
    List<String> names = new ArrayList<>();
    try (DirectoryStream<Path> fds = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
      for (Path fd : fds) {
        Path target;
        int flags;
        try {
          target = Files.readSymbolicLink(fd);
          flags = Fixtures.openFlags(fd);
        } catch (IOException closedMeanwhile) {
          continue;
        }
        boolean isDirect = (flags & Fixtures.directFlag()) != 0;
        if (folder.toRealPath().equals(target.getParent()) && isDirect == direct) {
          names.add(target.getFileName().toString());
        }
      }
    }
    names.remove(IndexWriter.WRITE_LOCK_NAME);
    return names;
  }

  /**
   * Returns how many pages of a file are in the page cache: {@code mincore(2)}, which the JDK calls
   * for a mapping, since a read that would block ({@code RWF_NOWAIT}) starts a read-ahead.
   */
  private static int residentPages(Path path) throws IOException {
    int resident = 0;
    try (FileChannel channel = FileChannel.open(path)) {
      for (long page = 0; page < channel.size(); page += PAGE) {
        long length = Math.min(PAGE, channel.size() - page);
        if (channel.map(FileChannel.MapMode.READ_ONLY, page, length).isLoaded()) {
          resident++;
        }
      }
    }
    return resident;
  }

  private void dropPages(Path path) {
    int fd = posix.open(path, OpenMode.READ);
    assertEquals(0, posix.fsync(fd));
    assertEquals(0, posix.fadvise(fd, 0, 0, Advice.DONTNEED));
    posix.close(fd);
  }

  private static long bytesRead() throws IOException {
    return Files.readAllLines(Path.of("/proc/self/io")).stream()
        .filter(line -> line.startsWith("read_bytes:"))
        .mapToLong(line -> Long.parseLong(line.substring("read_bytes:".length()).trim()))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void whatIsReadComesFromTheDeviceAndLeavesNoPage() throws Exception {
    Path path = folder.resolve("probe");
    dropPages(path);
    for (BlockCache with : List.of(cache, Fixtures.NO_CACHE)) {
      for (IOContext context : Fixtures.CONTEXTS) {
        dropPages(path);
        assertEquals(0, residentPages(path));
        long before = bytesRead();
        try (DirectPreadDirectory directory = directory(with);
            IndexInput input = directory.openInput("probe", context)) {
          assertEquals(List.of("probe"), open(true));
          assertEquals(List.of(), open(false));
          byte[] read = new byte[LENGTH];
          input.readBytes(read, 0, 5000);
          LuceneCalls.prefetch(input, 100_000, 10_000);
          input.readBytes(read, 5000, LENGTH - 5000);
          assertArrayEquals(data, read);
          assertFalse(directory.usesPageCache());
        }
        assertEquals(0, residentPages(path), "pages of a file read with " + context);
        assertTrue(bytesRead() - before >= LENGTH - 2 * PAGE, context + " read no device");
      }
    }
  }

  @Test
  void whatIsWrittenDirectlyLeavesNoPageOnceSynced() throws Exception {
    Path path = folder.resolve("f");
    for (IOContext context : List.of(Fixtures.MERGE, Fixtures.FLUSH, IOContext.DEFAULT)) {
      try (DirectPreadDirectory directory = directory(cache)) {
        try (IndexOutput output = directory.createOutput("f", context)) {
          assertEquals(List.of("f"), open(!context.equals(IOContext.DEFAULT)));
          output.writeBytes(data, LENGTH);
        }
        int resident = residentPages(path);
        // At most the page in which the end was cut off is resident.
        assertEquals(
            !context.equals(IOContext.DEFAULT), resident <= 1, resident + " of " + context);
        directory.sync(List.of("f"));
        assertEquals(0, residentPages(path), context + " after sync");
        assertArrayEquals(data, Files.readAllBytes(path));
        directory.deleteFile("f");
      }
    }
  }

  /** Every output of a merge and every input of a reader is direct. */
  @Test
  void theFilesOfAnIndexAreDirect() throws Exception {
    List<String> written = new ArrayList<>();
    List<String> notDirect = new ArrayList<>();
    try (DirectPreadDirectory directory = directory(cache)) {
      FilterDirectory watched =
          new FilterDirectory(directory) {
            @Override
            public IndexOutput createOutput(String name, IOContext context) throws IOException {
              IndexOutput output = in.createOutput(name, context);
              if (LuceneCalls.kind(context) == IOContext.Context.MERGE) {
                written.add(name);
                if (!open(true).contains(name)) {
                  notDirect.add(name);
                }
              }
              return output;
            }
          };
      for (boolean merge : new boolean[] {false, true}) {
        IndexWriterConfig config =
            new IndexWriterConfig()
                .setMergeScheduler(new SerialMergeScheduler())
                .setMergePolicy(merge ? new TieredMergePolicy() : NoMergePolicy.INSTANCE);
        try (IndexWriter writer = new IndexWriter(watched, config)) {
          for (int i = 0; i < 500; i++) {
            Document document = new Document();
            document.add(new TextField("body", "word" + i % 17 + " all", Field.Store.YES));
            writer.addDocument(document);
            if (i % 100 == 99) {
              writer.flush();
            }
          }
          if (merge) {
            writer.forceMerge(1);
          }
        }
      }
      try (DirectoryReader reader = DirectoryReader.open(directory)) {
        assertEquals(1000, reader.numDocs());
        assertTrue(open(true).size() >= 1, "" + open(true));
        assertEquals(List.of(), open(false));
      }
      assertFalse(directory.usesPageCache());
    }
    assertTrue(written.size() > 1, "" + written);
    assertEquals(List.of(), notDirect);
  }

  @Test
  void aMemoryFileSystemServesOrFallsBack() throws Exception {
    Path memory = Path.of("/dev/shm");
    Assumptions.assumeTrue(Files.isWritable(memory), "no " + memory);
    Path here = Files.createTempDirectory(memory, "pread-test");
    PreadConfig config = PreadConfig.builder().cache(cache).directWriteMinSize(0).build();
    try (DirectPreadDirectory directory =
        new DirectPreadDirectory(here, FSLockFactory.getDefault(), config)) {
      try (IndexOutput output = directory.createOutput("f", Fixtures.MERGE)) {
        output.writeBytes(data, LENGTH);
      }
      for (IOContext context : Fixtures.CONTEXTS) {
        try (IndexInput input = directory.openInput("f", context)) {
          byte[] read = new byte[LENGTH];
          input.readBytes(read, 0, LENGTH);
          assertArrayEquals(data, read);
        }
      }
      int fd = posix.open(here.resolve("f"), OpenMode.READ_DIRECT);
      assertEquals(fd < 0, directory.usesPageCache());
      if (fd >= 0) {
        posix.close(fd);
      }
      directory.deleteFile("f");
    } finally {
      Files.delete(here);
    }
  }
}
