/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import dev.pread.cache.CachedFile;
import dev.pread.cache.SlotCache;
import dev.pread.posix.Backend;
import dev.pread.posix.PosixFile;
import org.apache.lucene.store.IOContext;

/**
 * Makes the inputs of one directory.
 *
 * @param backend the backend that its files are opened through
 * @param cache the cache for the blocks of its files, or null for none
 * @param defaults what the configuration says about how its files are read
 */
public record InputOpener(Backend backend, SlotCache cache, ReadPlan.Defaults defaults) {

  /**
   * The most blocks that a file in the cache may have: few enough that the sum of two block numbers
   * does not overflow. Nobody has larger files; they would bypass the cache.
   */
  private static final long MAX_BLOCKS = 1L << 30;

  /**
   * Opens the input of a whole file.
   *
   * @param file is closed by the input's {@code close}; if this method throws, it remains the
   *     caller's
   * @param context says how it is going to be read
   */
  public PreadIndexInput open(PosixFile file, IOContext context) {
    ReadPlan plan = plan(file, context);
    InputFile input = new InputFile(this, file, plan);
    try {
      return input.hasWindows() ? CachedInputs.best().create(input) : new BufferedPreadInput(input);
    } catch (Throwable t) {
      input.giveUpBlocks();
      throw t;
    }
  }

  /** Decides how a file, or a slice of it, is read with a context. */
  ReadPlan plan(PosixFile file, IOContext context) {
    return ReadPlan.of(defaults, file.path().getFileName().toString(), file.length(), context);
  }

  /**
   * Returns the file's part in the cache, or null if there is no cache or nothing that it could
   * keep.
   */
  CachedFile cached(PosixFile file) {
    if (cache == null
        || cache.isClosed()
        || file.length() == 0
        || file.length() > MAX_BLOCKS << cache.blockBits()) {
      return null;
    }
    Object key = file.inode() == 0 ? null : FileKey.of(file);
    return cache.files().open(key, file.path().toString(), file.length(), file.modifiedNanos());
  }

  /** Returns whether the cache wants memory that the page cache has. */
  public boolean isShortOfMemory() {
    return cache != null && cache.isShortOfMemory();
  }

  /**
   * Files with equal keys share their blocks. A local file system gives an inode to no other file
   * as long as this one is open; a network file system may, and anybody may write to a file in
   * place. The times tell: that of the last write, and that of the last change of anything, which
   * nobody can set back. Files with different keys share nothing, so that a file that has got a
   * further name in the meantime has its blocks in the cache twice.
   *
   * <p>Times are as fine as the clock of the file system: a write within the same tick as the one
   * before it (some milliseconds; Linux 6.13 tells them apart on ext4, XFS, btrfs and tmpfs) that
   * leaves the length as it was goes unnoticed. Lucene writes no file twice.
   */
  private record FileKey(long device, long inode, long modifiedNanos, long changedNanos) {

    static FileKey of(PosixFile file) {
      return new FileKey(file.device(), file.inode(), file.modifiedNanos(), file.changedNanos());
    }
  }
}
