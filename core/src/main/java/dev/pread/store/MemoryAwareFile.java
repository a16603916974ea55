/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import dev.pread.cache.SlotCache;
import dev.pread.posix.PosixFile;
import dev.pread.posix.ReadTarget;
import dev.pread.posix.ReadableFile;
import dev.pread.posix.VectorPool;
import java.io.Closeable;
import java.io.IOException;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Reads blocks of a file for a cache beside the page cache: through the page cache while there is
 * memory for both. Once the cache has got all the memory there is, the page cache is next to
 * nothing, and blocks are read past it. Otherwise each would lie in both, at the expense of another
 * block, and be pushed out of the page cache before anybody could want it there.
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

  /** Whether there is no such thing, or no longer. It is written under the lock. */
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
    PosixFile source = cache.isShortOfMemory() ? direct() : file;
    return source.readFully(position, target, atLeast, room);
  }

  /** Returns the file for direct I/O, or else as it is. */
  private PosixFile direct() {
    PosixFile opened = direct;
    if (opened != null || isRefused) {
      return opened == null ? file : opened;
    }
    lock.lock();
    try {
      if (direct == null && !isRefused) {
        opened = file.reopenDirect();
        direct = opened;
        isRefused = opened.alignment() > cache.blockSize();
      }
    } catch (IOException e) {
      // Whatever the reason is, the page cache will do.
      isRefused = true;
    } finally {
      lock.unlock();
    }
    return isRefused ? file : direct;
  }

  /** Closes the second descriptor. The cache is not full any more for who comes late. */
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
