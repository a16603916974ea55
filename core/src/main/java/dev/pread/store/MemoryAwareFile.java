/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import dev.pread.cache.SlotCache;
import dev.pread.posix.FileClosedException;
import dev.pread.posix.IoVector;
import dev.pread.posix.PosixFile;
import dev.pread.posix.ReadTarget;
import dev.pread.posix.ReadableFile;
import dev.pread.posix.VectorPool;
import java.io.Closeable;
import java.io.IOException;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Reads blocks of a file for a cache beside the page cache: through the page cache while there is
 * memory for both. Once there is no more memory to be had, the page cache is next to nothing, and
 * blocks are read past it. Otherwise each would lie in both, at the expense of another block, and
 * be pushed out of the page cache before anybody could want it there.
 *
 * <p>The file is opened a second time when that first happens. Where direct I/O is refused, all
 * reads go through the page cache.
 *
 * <p>It is thread-safe.
 */
final class MemoryAwareFile implements ReadableFile, Closeable {

  private final PosixFile file;
  private final SlotCache cache;
  private final ReentrantLock lock = new ReentrantLock();

  /** The file, opened for direct I/O. It is written under the lock. */
  private volatile PosixFile direct;

  /** Whether there is no such thing, or no longer. Once it is true it stays so. */
  private volatile boolean isRefused;

  /** Creates the source; {@code file} remains the caller's. */
  MemoryAwareFile(PosixFile file, SlotCache cache) {
    this.file = file;
    this.cache = cache;
  }

  @Override
  public VectorPool vectors() {
    return file.vectors();
  }

  @Override
  public int readFully(long position, ReadTarget target, int atLeast, int room) throws IOException {
    PosixFile source = cache.isShortOfMemory() ? direct() : null;
    if (source == null) {
      return file.readFully(position, target, atLeast, room);
    }
    long left = target instanceof IoVector vector ? vector.length() : 0;
    try {
      return source.readFully(position, target, atLeast, room);
    } catch (FileClosedException e) {
      throw e;
    } catch (IOException e) {
      if (target instanceof IoVector vector && vector.length() != left) {
        throw e;
      }
      // Some file systems refuse direct I/O only when it is tried. If it is the device that fails,
      // the page cache fails, too.
      isRefused = true;
      return file.readFully(position, target, atLeast, room);
    }
  }

  /** Returns the file for direct I/O, or null if that is refused. */
  private PosixFile direct() {
    if (isRefused || direct != null) {
      return isRefused ? null : direct;
    }
    lock.lock();
    try {
      if (direct == null && !isRefused) {
        direct = file.reopenDirect();
        isRefused = direct.alignment() > cache.blockSize();
      }
    } catch (IOException | RuntimeException e) {
      // Whatever the reason is, the page cache will do.
      isRefused = true;
    } finally {
      lock.unlock();
    }
    return isRefused ? null : direct;
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
