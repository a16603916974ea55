/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import java.util.Collection;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The files that are open through a cache, and what is remembered of those that were ({@link
 * HotBlocks}).
 *
 * <p>All that have the same file open share its {@link CachedFile}, if they can tell that it is the
 * same. The last of them to close it frees its slots, and from then on nobody finds it here.
 *
 * <p>There is one per cache. It calls the cache, and the cache does not call it. It is thread-safe.
 */
public final class OpenFiles {

  private final SlotCache cache;
  private final AtomicLong nextFile = new AtomicLong(1);

  /** The files by their keys. A file's count of opens is changed under the lock of its key. */
  private final ConcurrentHashMap<Object, CachedFile> files = new ConcurrentHashMap<>();

  /** What is known of blocks that were in the cache before a restart, or null. */
  private volatile HotBlocks hotBlocks;

  OpenFiles(SlotCache cache) {
    this.cache = cache;
  }

  /**
   * Opens a file's part in the cache, which the caller has to close.
   *
   * @param key a key that is equal for all that have this very file open, and for no other file
   *     meanwhile; null if no such key is known, and then the caller gets a part of its own
   * @param name the file's name, for events
   */
  public CachedFile open(Object key, String name, long length) {
    return open(key, name, length, 0);
  }

  /**
   * Opens a file's part in the cache as {@link #open(Object, String, long)} does.
   *
   * @param name the file's name, for events, and to know the file again after a restart
   * @param modifiedNanos when the file was last written: another file of that name has another time
   */
  public CachedFile open(Object key, String name, long length, long modifiedNanos) {
    if (key == null) {
      return create(null, name, length, modifiedNanos);
    }
    CachedFile shared =
        files.compute(
            key,
            (k, present) -> {
              if (present == null) {
                return create(k, name, length, modifiedNanos);
              }
              if (present.length() == length) {
                present.openCount++;
              }
              return present;
            });
    // A file that was opened while it was still being written stays apart.
    return shared.length() == length ? shared : create(null, name, length, modifiedNanos);
  }

  private CachedFile create(Object key, String name, long length, long modifiedNanos) {
    return new CachedFile(cache, name, key, length, modifiedNanos, nextFile.getAndIncrement());
  }

  /** Implements {@link CachedFile#close(boolean)}. */
  void close(CachedFile file, boolean hasReaders) {
    // This comes before anything has changed: half of what follows must not be done.
    StackReserve.ensure();
    CachedFile left = null;
    if (file.key() != null) {
      left =
          files.computeIfPresent(
              file.key(),
              (k, present) -> present == file && --file.openCount == 0 ? null : present);
    }
    try {
      if (left != file) {
        free(file);
      } else if (hasReaders) {
        file.invalidate();
      }
    } finally {
      if (left != file || hasReaders) {
        cache.announced().closing(file, left != file);
      }
    }
  }

  private void free(CachedFile file) {
    try {
      HotBlocks hot = hotBlocks;
      if (hot != null) {
        hot.closing(file);
      }
    } finally {
      try {
        file.freeAll();
        cache.pendingExtents().closed(file);
      } finally {
        cache.wakeAll();
      }
    }
  }

  /** Returns the files that are open, but for those that nobody else could recognise. */
  Collection<CachedFile> all() {
    return files.values();
  }

  // ---- restarts ----

  /**
   * Begins to remember which blocks of files are in the cache, so that they can be brought in again
   * after a restart. It is called before any file is opened.
   *
   * @param background runs what reads them
   */
  public HotBlocks rememberHotBlocks(Executor background) {
    hotBlocks = new HotBlocks(cache, background);
    return hotBlocks;
  }

  /** Ends what {@link #rememberHotBlocks} has begun. */
  public void forgetHotBlocks() {
    hotBlocks = null;
  }

  /** Returns what {@link #rememberHotBlocks} has made, or null. */
  HotBlocks hotBlocks() {
    return hotBlocks;
  }

  /**
   * Forgets what is known of a file that was deleted, also when those that read it close it. A note
   * that the last close makes at the same moment may stay: no other file has the same name, length
   * and time, so it is of no use and does no harm.
   */
  public void forget(String name) {
    HotBlocks hot = hotBlocks;
    if (hot != null) {
      // This comes first, so that a file that is open makes no note after this one is removed.
      for (CachedFile file : files.values()) {
        if (file.name().equals(name)) {
          file.setDeleted();
        }
      }
      hot.forget(name);
    }
  }
}
