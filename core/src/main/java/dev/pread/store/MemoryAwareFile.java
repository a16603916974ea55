/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import dev.pread.cache.SlotCache;
import dev.pread.cache.StackReserve;
import dev.pread.posix.Backend;
import dev.pread.posix.DirectIoUnsupportedException;
import dev.pread.posix.FileClosedException;
import dev.pread.posix.PosixFile;
import dev.pread.posix.QuietLog;
import java.io.Closeable;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Decides how blocks of a file are read for a cache beside the page cache: through the page cache
 * while there is memory for both. Once there is no more memory to be had, blocks are read past it.
 * Otherwise each would lie in both, at the expense of another block, and be pushed out of the page
 * cache before anybody could want it there. That is not so where the page cache may have more than
 * the caches: then it keeps what they can't.
 *
 * <p>What is kept free may be used by the page cache all the same. There some blocks find a place
 * that readers jump to ({@link InputFile#sourceOfJump}), and what a merge jumps around in ({@link
 * ReadPlan#isJumpedIn}): of vectors that are a little larger than the cache, the rest.
 *
 * <p>The file is opened a second time when that first happens. Where that is refused, or there is
 * no memory for it, or there are so many files that descriptors could run out, all reads go through
 * the page cache, and so they do while another thread is opening it. What others may want to mend
 * is logged.
 *
 * <p>It is thread-safe.
 */
final class MemoryAwareFile implements Closeable {

  private static final Logger LOGGER = System.getLogger(MemoryAwareFile.class.getName());

  private static final String TOO_MANY =
      "files have half of the descriptors that this process may have, and the rest is left to"
          + " commits and connections: raise it (ulimit -n)";

  private final Backend backend;
  private final PosixFile file;
  private final SlotCache cache;
  private final ReentrantLock lock = new ReentrantLock();

  /** The file, opened for direct I/O. It is written under the lock. */
  private volatile PosixFile direct;

  /** Whether there is no such thing, or no longer. Once it is true it stays so. */
  private volatile boolean isRefused;

  /** Creates it; {@code file} remains the caller's. */
  MemoryAwareFile(Backend backend, PosixFile file, SlotCache cache) {
    this.backend = backend;
    this.file = file;
    this.cache = cache;
  }

  /** Returns whether blocks are read past the page cache just now, as far as is known. */
  boolean readsDirectly() {
    return cache.readsPastPageCache()
        && !isRefused
        && (direct != null || !(backend.isShortOfDescriptors() || backend.hasManyFiles()));
  }

  /** Returns the file as blocks of it should be read just now. */
  PosixFile source() {
    if (!readsDirectly()) {
      if (direct == null && cache.readsPastPageCache() && backend.hasManyFiles()) {
        backend.warnOnce(LOGGER, "many files", () -> what(TOO_MANY));
      }
      return file;
    }
    PosixFile opened = direct;
    return opened == null ? open() : opened;
  }

  private PosixFile open() {
    // This comes before the lock is taken, which could not be given back.
    StackReserve.ensure();
    if (!lock.tryLock()) {
      // Another thread opens it, and its device may take its time.
      return file;
    }
    try {
      if (direct == null && !isRefused) {
        PosixFile opened = file.reopenDirect();
        boolean isReadable = false;
        try {
          isReadable = tryRead(opened);
        } finally {
          if (!isReadable) {
            opened.close();
          }
        }
        direct = isReadable ? opened : null;
        isRefused = !isReadable;
      }
    } catch (DirectIoUnsupportedException | FileClosedException | OutOfMemoryError e) {
      // Whatever the reason is, the page cache will do. Memory that is used up may come back, but
      // each attempt in vain has the JVM collect garbage, and there may be thousands of files. A
      // line in the log would need some, too.
      isRefused = true;
    } catch (IOException e) {
      // Others may give descriptors back, and then this file is not the one that has none.
      isRefused = !backend.isShortOfDescriptors();
      backend.warnOnce(
          LOGGER, "second descriptor: " + e.getClass().getName(), () -> what(e.getMessage()));
    } catch (RuntimeException e) {
      isRefused = true;
      // A defect of ours, which somebody should know of.
      QuietLog.log(LOGGER, Level.WARNING, e, () -> what(e.getMessage()));
    } finally {
      lock.unlock();
    }
    PosixFile opened = direct;
    return isRefused || opened == null ? file : opened;
  }

  private String what(String reason) {
    return "while memory is short, "
        + file.path()
        + " is read through the page cache, which takes memory beside the block cache: it can't be"
        + " opened a second time: "
        + reason;
  }

  /**
   * Reads something, and returns whether blocks can be read: some file systems refuse that only
   * when it is tried.
   */
  private boolean tryRead(PosixFile opened) throws IOException {
    if (opened.alignment() > cache.blockSize()) {
      return false;
    }
    opened.tryDirectRead();
    return true;
  }

  /** Closes the second descriptor. */
  @Override
  public void close() throws IOException {
    PosixFile opened;
    lock.lock();
    try {
      isRefused = true;
      opened = direct;
    } finally {
      lock.unlock();
    }
    if (opened != null) {
      opened.close();
    }
  }
}
