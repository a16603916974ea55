/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.posix.Backend;
import dev.pread.posix.Errno;
import dev.pread.posix.FaultSystemCalls;
import dev.pread.posix.FaultSystemCalls.Function;
import dev.pread.posix.OpenMode;
import dev.pread.posix.PosixFile;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.apache.lucene.store.IndexOutput;
import org.apache.lucene.store.RandomAccessInput;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Reads into the cache that fail: who asked is told, who waited is not stuck, who asks again is
 * served, and the cache is as large as before.
 */
@ParameterizedClass
@EnumSource(
    value = Scenario.Kind.class,
    names = {"CACHED", "DIRECT"})
class CacheFaultTest {

  private static final int BLOCK = Scenario.BLOCK_SIZE;
  private static final int BLOCKS = 13;

  /** More blocks than the cache has, the last of which is not whole. */
  private static final int LENGTH = 40 * BLOCK + 77;

  @TempDir Path folder;

  @Parameter Scenario.Kind kind;

  private final byte[] data = Fixtures.randomBytes(Fixtures.SEED, LENGTH);
  private FaultSystemCalls faults;
  private Backend backend;
  private BlockCache cache;
  private BasePreadDirectory directory;

  @BeforeEach
  void open() throws IOException {
    faults = kind.faults();
    backend = new Backend(faults);
    cache = kind.cache();
    assertEquals(BLOCKS, cache.stats().capacity());
    directory = kind.open(folder, PreadConfig.DEFAULT, cache, backend);
    Files.write(folder.resolve("f"), data);
    Files.write(folder.resolve("one"), Arrays.copyOf(data, 300));
  }

  @AfterEach
  void nothingIsLost() throws IOException {
    directory.close();
    assertEquals(0, backend.openFiles());
    assertEquals(0, Fixtures.descriptorsIn(folder));
    Fixtures.checkAllSlotsCanBeHad(cache);
    cache.close();
  }

  private void checkBlock(IndexInput input, int block) throws IOException {
    int start = block * BLOCK;
    byte[] read = new byte[(int) Math.min(BLOCK, input.length() - start)];
    input.seek(start);
    input.readBytes(read, 0, read.length);
    assertArrayEquals(Arrays.copyOfRange(data, start, start + read.length), read, "" + block);
  }

  private void checkError(IOException e, String name, int errno) {
    String message = e.getMessage();
    assertTrue(message.startsWith(folder.resolve(name) + ": preadv(position="), message);
    assertTrue(message.contains(Errno.describe(errno)), message);
    assertEquals(kind == Scenario.Kind.DIRECT, message.contains("O_DIRECT"), message);
    assertEquals(folder.resolve(name).toString(), ((FileSystemException) e).getFile());
  }

  private void awaitWaiters(int count) {
    Fixtures.awaitCount(() -> cache.stats().waits(), count);
  }

  @Test
  void anEmptyCacheIsEmptyAfterAFault() throws IOException {
    try (IndexInput input = directory.openInput("one", IOContext.DEFAULT)) {
      faults.on(Function.PREADV).at(1).fail(Errno.EIO);
      checkError(assertThrows(IOException.class, input::readByte), "one", Errno.EIO);
      assertEquals(0, input.getFilePointer());
      assertEquals(0, cache.stats().blocks());
      assertEquals(0, cache.stats().loads());
      checkBlock(input, 0);
      assertEquals(1, cache.stats().blocks());
      assertEquals(1, cache.stats().loads());
      assertEquals(0, cache.stats().evictions());
    }
  }

  @Test
  void aFileThatFailsToOpenGivesUpItsPartInTheCache() throws IOException {
    try (PosixFile file = backend.open(folder.resolve("one"), OpenMode.READ)) {
      Assumptions.assumeTrue(file.inode() != 0, "this backend can't know a file again");
    }
    cache
        .slots()
        .files()
        .rememberHotBlocks(
            work -> {
              throw new AssertionError("by script");
            });
    try (IndexInput input = directory.openInput("one", IOContext.DEFAULT)) {
      checkBlock(input, 0);
    }
    assertThrows(AssertionError.class, () -> directory.openInput("one", IOContext.DEFAULT));
    cache.slots().files().forgetHotBlocks();
    try (IndexInput input = directory.openInput("one", IOContext.DEFAULT)) {
      checkBlock(input, 0);
      assertEquals(1, cache.stats().blocks());
    }
    assertEquals(0, cache.stats().blocks());
  }

  /** The block that went to make room for what did not come leaves a free slot. */
  @Test
  void aFullCacheIsFullAgainAfterAFault() throws IOException {
    try (IndexInput input = directory.openInput("f", IOContext.DEFAULT)) {
      for (int block = 0; block < 40; block++) {
        checkBlock(input, block);
      }
      CacheStats full = cache.stats();
      assertEquals(BLOCKS, full.blocks());
      faults.forget();
      for (int k = 1; k <= 10; k++) {
        long evictions = cache.stats().evictions();
        faults.on(Function.PREADV).at(2L * k - 1).fail(Errno.EIO);
        input.seek((long) k * BLOCK + 5);
        IOException e = assertThrows(IOException.class, input::readLong);
        checkError(e, "f", Errno.EIO);
        assertEquals((long) k * BLOCK + 5, input.getFilePointer());
        assertEquals(BLOCKS - 1, cache.stats().blocks());
        checkBlock(input, k);
        assertEquals(BLOCKS, cache.stats().blocks());
        assertEquals(evictions + 1, cache.stats().evictions(), "the free slot is taken again");
        assertEquals(2L * k, faults.count(Function.PREADV));
      }
      assertEquals(full.loads() + 10, cache.stats().loads());
      assertEquals(full.bytesRead() + 10 * BLOCK, cache.stats().bytesRead());
      assertEquals(0, cache.stats().bypasses());
    }
  }

  @Test
  void absoluteReadsSayTheSame() throws IOException {
    try (IndexInput input = directory.openInput("one", IOContext.DEFAULT)) {
      RandomAccessInput random = input.randomAccessSlice(3, 290);
      faults.on(Function.PREADV).at(1).fail(Errno.EACCES);
      checkError(assertThrows(IOException.class, () -> random.readInt(7)), "one", Errno.EACCES);
      assertEquals(data[10], random.readByte(7));
    }
  }

  // ---- those who wait ----

  private void oneReadsAndOthersWait(int failing, int waiters) throws Exception {
    faults.on(Function.PREADV).at(1).instead(() -> failWhenAwaited(waiters));
    for (int k = 2; k <= failing; k++) {
      faults.on(Function.PREADV).at(k).fail(Errno.EIO);
    }
    AtomicInteger failed = new AtomicInteger();
    try (IndexInput input = directory.openInput("one", IOContext.DEFAULT)) {
      Fixtures.inThreads(
          waiters + 1,
          thread -> {
            IndexInput clone = clone(input);
            try {
              checkBlock(clone, 0);
            } catch (IOException e) {
              checkError(e, "one", Errno.EIO);
              failed.incrementAndGet();
            }
          });
      assertEquals(failing, failed.get());
      faults.calm();
      checkBlock(input, 0);
      assertEquals(1, cache.stats().blocks());
      assertEquals(1, cache.stats().loads());
    }
  }

  private static IndexInput clone(IndexInput input) {
    synchronized (input) {
      return input.clone();
    }
  }

  private long failWhenAwaited(int waiters) {
    awaitWaiters(waiters);
    return -Errno.EIO;
  }

  @Test
  void onlyTheOneWhoseReadFailedIsTold() throws Exception {
    oneReadsAndOthersWait(1, 3);
    assertEquals(2, faults.count(Function.PREADV));
  }

  @Test
  void allAreToldWhereEveryReadFails() throws Exception {
    oneReadsAndOthersWait(4, 3);
  }

  /**
   * One reads blocks 0 to 12; others wait for some of them, which it can't read but for its own.
   */
  @Test
  void whoWaitsForANeighbourThatCouldNotBeReadReadsIt() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    faults
        .on(Function.PREADV)
        .at(1)
        .instead(
            () -> {
              begun.countDown();
              return failWhenAwaited(3);
            });
    try (IndexInput input = directory.openInput("f", IOContext.DEFAULT)) {
      Fixtures.inThreads(
          4,
          thread -> {
            IndexInput clone = clone(input);
            if (thread > 0) {
              Fixtures.await(begun);
            }
            checkBlock(clone, 3 * thread);
          });
      assertEquals(BLOCKS * BLOCK, faults.calls(Function.PREADV).get(0).length());
      for (int block = 0; block <= 40; block++) {
        checkBlock(input, block);
      }
    }
  }

  // ---- files that change under their readers ----

  @Test
  void aFileThatIsCutUnderItsReadersAndRestored() throws IOException {
    Path path = folder.resolve("f");
    int left = 20 * BLOCK + 100;
    try (IndexInput input = directory.openInput("f", IOContext.DEFAULT)) {
      Files.write(path, Arrays.copyOf(data, left));
      checkBlock(input, 19);
      for (int round = 0; round < 3; round++) {
        for (int block : new int[] {20, 21, 40}) {
          input.seek((long) block * BLOCK);
          EOFException e = assertThrows(EOFException.class, input::readInt);
          String message = e.getMessage();
          Fixtures.assertNames(message, "truncated");
          assertTrue(
              message.contains(String.format(Locale.ROOT, "with %d bytes", LENGTH)), message);
          Fixtures.assertNames(message, "preadv");
          assertTrue(message.endsWith(": " + path), message);
        }
        checkBlock(input, 18);
      }
      Files.write(path, data, StandardOpenOption.WRITE);
      for (int block = 0; block <= 40; block++) {
        checkBlock(input, block);
      }
    }
  }

  private boolean knowsInodes() throws IOException {
    try (PosixFile file = backend.open(folder.resolve("one"), OpenMode.READ)) {
      return file.inode() != 0;
    }
  }

  /** What it could not read into the cache is no reason for a flush to fail. */
  @Test
  void aFlushThatCantBeReadBackIsReadLater() throws IOException {
    try (BlockCache roomy = Fixtures.tinyCache(128, 9);
        BasePreadDirectory other = kind.open(folder, PreadConfig.DEFAULT, roomy, backend)) {
      int length = BLOCK + 9;
      // Where the backend can't tell whose the blocks are, it does not try.
      int tried = knowsInodes() ? 2 : 0;
      faults.on(Function.PREADV).at(1).fail(Errno.EIO);
      faults.on(Function.PREADV).at(2).fail(Errno.EIO);
      try (IndexOutput output = other.createOutput("flushed", Fixtures.FLUSH)) {
        output.writeBytes(data, length);
      }
      assertEquals(tried, faults.count(Function.PREADV));
      faults.calm();
      assertEquals(0, backend.openFiles());
      assertEquals(0, roomy.stats().blocks());
      try (IndexInput input = other.openInput("flushed", IOContext.DEFAULT)) {
        checkBlock(input, 0);
        checkBlock(input, 1);
      }
      assertFalse(roomy.isClosed());
      Fixtures.checkAllSlotsCanBeHad(roomy);
    }
  }
}
