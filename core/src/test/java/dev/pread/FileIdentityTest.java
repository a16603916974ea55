/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.posix.FaultSystemCalls.Function;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.concurrent.TimeUnit;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Who shares the cached blocks of a file: those who opened the same bytes, and nobody else. */
class FileIdentityTest extends BackendTestCase {

  private static final int LENGTH = 10_000;

  private final BlockCache cache = Fixtures.tinyCache(1024, 12);
  private final byte[] before = Fixtures.randomBytes(Fixtures.SEED, LENGTH);
  private final byte[] after = Fixtures.randomBytes(Fixtures.SEED + 1, LENGTH);
  private Path file;
  private Directory directory;

  @BeforeEach
  void open() throws IOException {
    file = Files.write(folder.resolve("f"), before);
    directory = Fixtures.directory(folder, PreadConfig.DEFAULT, cache, backend);
  }

  @AfterEach
  void close() throws IOException {
    directory.close();
    cache.close();
  }

  private static byte[] read(IndexInput input) throws IOException {
    byte[] bytes = new byte[LENGTH];
    input.seek(0);
    input.readBytes(bytes, 0, LENGTH);
    return bytes;
  }

  private static void overwrite(Path file, byte[] bytes) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      assertEquals(LENGTH, channel.write(ByteBuffer.wrap(bytes), 0));
    }
  }

  private static FileTime changed(Path file) throws IOException {
    return (FileTime) Files.getAttribute(file, "unix:ctime");
  }

  @Test
  void aFileThatIsOverwrittenInPlaceIsAnotherToItsNextOpener() throws IOException {
    try (IndexInput first = directory.openInput("f", IOContext.DEFAULT)) {
      assertArrayEquals(before, read(first));
      FileTime modified = Files.getLastModifiedTime(file);
      overwrite(file, after);
      // One nanosecond: not all of what the clock of the file system can tell apart is a tick.
      Files.setLastModifiedTime(
          file, FileTime.from(modified.to(TimeUnit.NANOSECONDS) + 1, TimeUnit.NANOSECONDS));
      try (IndexInput second = directory.openInput("f", IOContext.DEFAULT)) {
        assertArrayEquals(after, read(second));
      }
    }
  }

  @Test
  void aModificationTimeThatIsSetBackHidesNothing() throws IOException {
    try (IndexInput first = directory.openInput("f", IOContext.DEFAULT)) {
      assertArrayEquals(before, read(first));
      FileTime modified = Files.getLastModifiedTime(file);
      FileTime changed = changed(file);
      overwrite(file, after);
      Files.setLastModifiedTime(file, modified);
      // Both may have been within one tick of the kernel's clock.
      Fixtures.awaitCount(() -> setAgain(modified).equals(changed) ? 0 : 1, 1);
      assertEquals(modified, Files.getLastModifiedTime(file));
      assertNotEquals(changed, changed(file));
      try (IndexInput second = directory.openInput("f", IOContext.DEFAULT)) {
        assertArrayEquals(after, read(second));
      }
    }
  }

  private FileTime setAgain(FileTime modified) {
    try {
      Files.setLastModifiedTime(file, modified);
      return changed(file);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void whoOpensAnUnchangedFileSharesItsBlocks() throws IOException {
    boolean knowsInodes = !backend.calls().name().equals("channel");
    try (IndexInput first = directory.openInput("f", IOContext.DEFAULT)) {
      assertArrayEquals(before, read(first));
      faults.forget();
      try (IndexInput second = directory.openInput("f", IOContext.DEFAULT)) {
        assertArrayEquals(before, read(second));
      }
      long reads = faults.count(Function.PREAD) + faults.count(Function.PREADV);
      assertEquals(knowsInodes, reads == 0, reads + " reads");
    }
  }

  @Test
  void aFileThatIsFlushedAndSyncedIsSharedAndOneThatIsRenamedIsReadRight() throws IOException {
    boolean knowsInodes = !backend.calls().name().equals("channel");
    for (String name : new String[] {"g", "pending_h"}) {
      try (var output = directory.createOutput(name, Fixtures.FLUSH)) {
        output.writeBytes(after, LENGTH);
      }
      directory.sync(java.util.List.of(name));
    }
    directory.rename("pending_h", "h");
    directory.syncMetaData();
    faults.forget();
    try (IndexInput input = directory.openInput("g", IOContext.DEFAULT)) {
      assertArrayEquals(after, read(input));
    }
    long reads = faults.count(Function.PREAD) + faults.count(Function.PREADV);
    assertEquals(knowsInodes, reads == 0, reads + " reads");
    try (IndexInput input = directory.openInput("h", IOContext.DEFAULT)) {
      assertArrayEquals(after, read(input));
    }
    assertTrue(cache.stats().blocksRead() > 0 || !knowsInodes);
  }
}
