/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import dev.pread.cache.CachedFile;
import dev.pread.posix.Backend;
import dev.pread.posix.PosixFile;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.lucene.util.IOSupplier;

/**
 * Small files that have just been flushed and whose blocks are already in the cache: the next thing
 * that happens to them is that they are searched.
 *
 * <p>Each file is kept open, so that its blocks can't be mistaken for those of another file, until
 * it is opened by name for the first time, it is deleted or renamed, too many others have come
 * after it, or the directory is closed.
 *
 * <p>This class is thread-safe. It owns the files it is given.
 */
public final class FreshFiles implements Closeable {

  /** The most descriptors it keeps. */
  private static final int MAX_FILES = 32;

  private record Fresh(PosixFile file, CachedFile blocks) {

    void close() {
      giveUp(file, blocks);
    }
  }

  private final InputOpener opener;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<String, Fresh> files = new LinkedHashMap<>();

  /**
   * Who is reading a file of that name: the last to begin, unless the name has been removed since.
   */
  private final Map<String, Object> turns = new HashMap<>();

  private boolean closed;

  /** Creates an instance for the directory of {@code opener}. */
  public FreshFiles(InputOpener opener) {
    this.opener = opener;
  }

  /**
   * Returns whether a file is worth keeping. What describes a segment is not: the writer knows that
   * and tells its readers, and the file would be kept for nobody. Nor is any file worth a
   * descriptor when these are short.
   */
  public boolean wants(String name, long length) {
    Backend backend = opener.backend();
    return opener.cache() != null
        && !name.endsWith(".si")
        && length > 0
        && !backend.hasManyFiles()
        && !backend.isShortOfDescriptors()
        && length <= ((long) opener.cache().capacity() << opener.cache().blockBits()) / 64;
  }

  /**
   * Reads a file into the cache, and keeps it unless its name has come to mean something else in
   * the meantime.
   *
   * @param opening opens the file, which this object closes at some point, even if this method
   *     throws
   * @throws IOException if it can't be read; it is then read when it is first searched
   */
  public void add(String name, IOSupplier<PosixFile> opening) throws IOException {
    Object turn = new Object();
    begin(name, turn);
    Fresh fresh = null;
    try {
      fresh = load(opening.get());
    } finally {
      keep(name, turn, fresh);
    }
  }

  /** Loads the blocks of a file, or returns null if there would be no use in keeping it. */
  private Fresh load(PosixFile file) throws IOException {
    CachedFile blocks = null;
    try {
      // Without an inode nobody could recognise the blocks as those of the same file.
      blocks = file.inode() == 0 ? null : opener.cached(file);
      if (blocks != null) {
        blocks.loadAll(file);
        return new Fresh(file, blocks);
      }
    } catch (Throwable t) {
      giveUp(file, blocks);
      throw t;
    }
    giveUp(file, null);
    return null;
  }

  private void begin(String name, Object turn) {
    lock.lock();
    try {
      turns.put(name, turn);
    } finally {
      lock.unlock();
    }
  }

  private void keep(String name, Object turn, Fresh fresh) {
    Fresh leaving = fresh;
    Fresh oldest = null;
    lock.lock();
    try {
      boolean meansTheSame = turns.remove(name, turn);
      if (fresh != null && !closed && meansTheSame) {
        leaving = files.put(name, fresh);
        if (files.size() > MAX_FILES) {
          oldest = files.remove(files.keySet().iterator().next());
        }
      }
    } finally {
      lock.unlock();
      try {
        close(leaving);
      } finally {
        close(oldest);
      }
    }
  }

  private static void close(Fresh fresh) {
    if (fresh != null) {
      fresh.close();
    }
  }

  /**
   * Drops a file, and what is being read under that name, because it has been opened, deleted or
   * renamed. A deletion or a renaming has to call this once it is done, since until then the old
   * file can be opened.
   */
  public void remove(String name) {
    Fresh fresh;
    lock.lock();
    try {
      turns.remove(name);
      fresh = files.remove(name);
    } finally {
      lock.unlock();
    }
    if (fresh != null) {
      fresh.close();
    }
  }

  /** Drops all files. */
  @Override
  public void close() {
    List<Fresh> leaving;
    lock.lock();
    try {
      closed = true;
      leaving = new ArrayList<>(files.values());
      files.clear();
    } finally {
      lock.unlock();
    }
    closeAll(leaving.iterator());
  }

  /**
   * Closes all of them, whatever one of them throws. Lucene's {@code IOUtils} takes memory for
   * that, which may be what there is none of.
   */
  private static void closeAll(Iterator<Fresh> leaving) {
    if (leaving.hasNext()) {
      try {
        leaving.next().close();
      } finally {
        closeAll(leaving);
      }
    }
  }

  /** Closes a file, and before that gives up its blocks unless they are null. */
  private static void giveUp(PosixFile file, CachedFile blocks) {
    try {
      if (blocks != null) {
        blocks.close(false);
      }
    } finally {
      closeQuietly(file);
    }
  }

  /**
   * Closes a file and ignores errors: nothing was written through it, so there is nothing that
   * could be lost.
   */
  private static void closeQuietly(PosixFile file) {
    try {
      file.close();
    } catch (IOException e) {
      assert !file.isOpen() : e;
    }
  }
}
