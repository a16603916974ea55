/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.pread.FailingLog;
import dev.pread.posix.FileClosedException;
import dev.pread.posix.ReadableFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/**
 * What becomes of blocks that are to come back if reads, threads or a log fail, or if a file or the
 * cache is closed.
 */
class HotBlocksFaultTest extends HotBlocksTestCase {

  @Test
  void aFailureEndsItAndIsNotReported() throws IOException {
    known(1, 60, 70);
    source.broken = (60L << BITS) + 5;
    CachedFile file = openAndRestore();
    has(file, 1);
    assertThrows(IOException.class, () -> file.load(60, 1, source));
    source.broken = -1;
    load(file, 60);
    file.close();
    CacheCheck.allSlotsCanBeHad(cache);
  }

  /** Nobody asks the task what has become of it, so the log has it, if that can be written. */
  @Test
  void aReadThatThrowsAnythingEndsIt() throws IOException {
    for (Throwable any :
        List.of(new IOException(), new IllegalStateException(), new OutOfMemoryError())) {
      known(1, 60);
      CachedFile file = open(cache);
      ReadableFile failing = CacheFixtures.file((position, length, memory) -> throwAny(any));
      try (FailingLog log = new FailingLog(Restore.class.getName())) {
        file.restoreLater(failing);
        work();
        assertEquals(1, log.told());
      }
      load(file, 1, 60);
      file.close();
      assertEquals(set(1, 60), noted());
      openAndRestore().close();
      CacheCheck.allSlotsCanBeHad(cache);
    }
  }

  @SuppressWarnings("unchecked")
  private static <T extends Throwable> void throwAny(Throwable any) throws T {
    throw (T) any;
  }

  @Test
  void aThreadThatCanNotBeHadFailsNoOpen() throws IOException {
    failsNoOpen(
        task -> {
          throw new OutOfMemoryError("unable to create native thread");
        });
    failsNoOpen(
        task -> {
          throw new SecurityException("no threads of your own");
        });
  }

  /** What can't be read in the background is no reason to fail to open a file, nor is the log. */
  @Test
  void aLogThatFailsFailsNoOpen() throws IOException {
    try (FailingLog log = new FailingLog(HotBlocks.class.getName())) {
      failsNoOpen(
          task -> {
            throw new OutOfMemoryError("unable to create native thread");
          });
      assertEquals(1, log.told());
    }
  }

  private void failsNoOpen(Executor none) throws IOException {
    SlotCache other = cache(32);
    HotBlocks its = other.files().rememberHotBlocks(none);
    its.addAll(List.of(note(set(1))));
    CachedFile file = open(other);
    file.restoreLater(source);
    assertEquals(set(1), blocks(its.notes().get(0)), "it is still worth reading");
    CacheFixtures.load(file, 1, source);
  }

  /** The reader that began it closes the file, and others have it open. */
  @Test
  void whatASourceThatIsClosedLeavesIsForTheNext() throws IOException {
    known(1, 60, 70);
    CachedFile file = open(cache);
    AtomicBoolean isClosed = new AtomicBoolean();
    ReadableFile closing =
        CacheFixtures.file(
            (position, length, memory) -> {
              if (isClosed.getAndSet(true)) {
                throw new FileClosedException(Path.of("f"));
              }
              source.readFully(position, memory, length, length);
            });
    file.restoreLater(closing);
    work();
    has(file, 1);
    assertEquals(set(1, 60, 70), noted());
    file.restoreLater(source);
    work();
    has(file, 1, 60, 70);
    assertEquals(3, cache.counters().sum(Counter.BLOCKS_RESTORED));
  }

  @Test
  void aFileThatIsClosedBeforeItsTurnIsReadTheNextTime() throws IOException {
    known(1, 60);
    CachedFile file = open(cache);
    file.restoreLater(source);
    assertEquals(set(1, 60), noted(), "it is not lost meanwhile");
    load(file, 5);
    assertEquals(set(1, 5, 60), noted());
    file.close();
    int before = source.reads.get();
    work();
    assertEquals(before, source.reads.get());
    assertEquals(set(1, 5, 60), noted());
    has(openAndRestore(), 1, 5, 60);
  }

  @Test
  void aFileThatIsClosedMeanwhileIsReadTheNextTime() throws IOException {
    known(1, 60);
    CachedFile file = open(cache);
    source.before = file::close;
    file.restoreLater(source);
    work();
    source.before = () -> {};
    assertEquals(set(1, 60), noted());
    CacheCheck.allSlotsCanBeHad(cache);
  }

  @Test
  void aCacheThatIsClosedMeanwhileEndsIt() throws IOException {
    known(1, 60);
    CachedFile file = open(cache);
    source.before = cache::close;
    file.restoreLater(source);
    work();
    assertEquals(1, source.reads.get());
    assertNull(file.find(1));
    file.close();
    assertEquals(0, cache.counters().sum(Counter.BLOCKS));
  }
}
