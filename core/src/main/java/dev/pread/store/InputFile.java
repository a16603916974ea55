/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import dev.pread.cache.CachedFile;
import dev.pread.cache.Extent;
import dev.pread.cache.Extents;
import dev.pread.cache.OpenGuard;
import dev.pread.cache.StackReserve;
import dev.pread.posix.Advice;
import dev.pread.posix.PlatformThreads;
import dev.pread.posix.PosixFile;
import dev.pread.posix.ReadableFile;
import java.io.IOException;
import java.nio.file.Path;
import org.apache.lucene.store.AlreadyClosedException;
import org.apache.lucene.store.IOContext;

/**
 * Holds what the input of one {@code openInput} and all clones and slices of it share: the file,
 * its blocks in the cache, how to read it, and what has been learned about its residency.
 *
 * <p>This class is thread-safe. An instance is owned by the input that {@code openInput} returned,
 * whose {@code close} closes it.
 */
public final class InputFile {

  /**
   * How much the kernel is asked to preload at a time. Of more than its read-ahead, or than the
   * device's largest transfer, it reads the beginning alone; few systems have less than this.
   */
  static final int PRELOAD_BYTES = 128 << 10;

  private final InputOpener opener;
  private final PosixFile file;
  private final ReadPlan plan;
  private final FileReader reader;
  private final ReadAhead ahead;
  private final CachedFile blocks;
  private final MemoryAwareFile memoryAware;
  private final boolean hasWindows;
  private final OpenGuard guard = new OpenGuard();
  private final PrefetchGate prefetchGate;

  private final boolean dropAtClose;

  /**
   * False once the file is closed. It is plain and not volatile on purpose: every seek looks at it.
   * A thread that sees it late reads bytes that are right: what it has a window of, until the
   * window's guard tells, and what it finds in the cache, where another opener keeps the file. What
   * is not in the cache is read through {@link PosixFile}, which can't be late.
   */
  private boolean open = true;

  /**
   * Whether a file that was opened to be read once has turned out to be read again and again. It is
   * plain: a thread that sees it late reads a block from the file once more.
   */
  private boolean readAgain;

  /**
   * @param opener the opener of the directory
   * @param file is closed by {@link #close}; if this constructor throws, it remains the caller's
   */
  InputFile(InputOpener opener, PosixFile file, ReadPlan plan) {
    this.opener = opener;
    this.file = file;
    this.plan = plan;
    this.reader = new FileReader(opener.backend(), file);
    this.ahead =
        file.isDirect() && plan.onePass() ? new ReadAhead(opener.backend().large(), file) : null;
    this.prefetchGate = new PrefetchGate(file);
    this.dropAtClose = plan.dropBehind() && !file.isDirect() && prefetchGate.looksCold();
    // The advice that a descriptor starts with needs no call.
    if (plan.advice() != Advice.NORMAL) {
      changeAdvice(plan);
    }
    StackReserve.ensureForCalls();
    this.blocks = opener.cached(file);
    this.hasWindows = blocks != null && plan.inCache();
    try {
      this.memoryAware =
          blocks == null || file.isDirect()
              ? null
              : new MemoryAwareFile(opener.backend(), file, blocks.cache());
      if (plan.preload()) {
        preload(0, file.length());
      }
      if (hasWindows) {
        blocks.restoreLater(file);
      }
    } catch (Throwable t) {
      giveUpBlocks();
      throw t;
    }
  }

  Path path() {
    return file.path();
  }

  /** Returns the file, for the cache to read blocks one after the other. */
  ReadableFile source() {
    return plan.isJumpedIn() ? file : sourceOfExtents();
  }

  /** Returns the file, for the cache to read a block that a reader has jumped to. */
  ReadableFile sourceOfJump(long position) {
    return isLeftToPageCache(position) ? file : source();
  }

  /**
   * Returns whether a block is left to the page cache, although others may be read past it just
   * now.
   */
  boolean isLeftToPageCache(long position) {
    return memoryAware != null && blocks.isLeftToPageCache(position);
  }

  /** Returns the file, for the cache to read as a whole, which nobody asks the page cache for. */
  private ReadableFile sourceOfExtents() {
    return memoryAware == null ? file : memoryAware.source();
  }

  long length() {
    return file.length();
  }

  /** Returns how many bytes a read of the file reads at least, a power of two. */
  int alignment() {
    return file.alignment();
  }

  boolean isOpen() {
    return open;
  }

  /** Returns the file's blocks in the cache, or null if there is no cache for it. */
  CachedFile blocks() {
    return blocks;
  }

  /** Returns whether the file's inputs have windows in the cache. */
  boolean hasWindows() {
    return hasWindows;
  }

  /**
   * Gives up the file's part in the cache, but not the file; for an input that could not be made.
   */
  void giveUpBlocks() {
    if (guard.end() && blocks != null) {
      blocks.close(false);
    }
  }

  /**
   * Returns the guard that ends when the file is closed; it owns what inputs read into the cache's
   * spare memory.
   */
  OpenGuard guard() {
    return guard;
  }

  /** Returns how the file is read unless an input has been told otherwise. */
  ReadPlan plan() {
    return plan;
  }

  /** Decides how the file, or a slice of it, is read with another context. */
  ReadPlan plan(IOContext context) {
    return opener.plan(file, context);
  }

  // ---- reads ----

  /** Reads a range and bypasses the cache, except for bytes that are already there. */
  <A> void read(Elements<A> kind, long position, A dst, int offset, int count) throws IOException {
    if (ahead != null && PlatformThreads.areNeeded()) {
      // It would wait for the device itself, and with the lock of what reads ahead.
      FileReader.readElsewhere(
          (from, to, at, n) -> read(kind, from, to, at, n), position, dst, offset, count);
      return;
    }
    if (dst instanceof byte[] bytes) {
      if (blocks != null) {
        int copied = blocks.copy(position, bytes, offset, count);
        position += copied;
        offset += copied;
        count -= copied;
      }
      if (count > 0 && ahead != null) {
        int read = ahead.read(position, bytes, offset, count);
        position += read;
        offset += read;
        count -= read;
      }
    }
    if (count > 0) {
      reader.read(kind, position, dst, offset, count);
    }
  }

  /** Returns the reader that bypasses the cache, whatever is there. */
  FileReader reader() {
    return reader;
  }

  /**
   * Counts a read that bypasses the cache and begins at {@code position}, if it has to go to the
   * file.
   *
   * @return whether its bytes should be loaded into the cache after all, since reads have begun in
   *     this block again and again. A block that others have loaded is no sign of it: a merge goes
   *     on from there to the end
   */
  boolean countMiss(long position) {
    if (blocks == null) {
      return false;
    }
    int block = blocks.block(position);
    if (blocks.find(block) != null) {
      return readAgain;
    }
    boolean wanted = blocks.countMiss(block);
    readAgain |= wanted;
    return wanted;
  }

  /** Returns whether a block that is missed would come from the page cache just now. */
  boolean readsThroughPageCache() {
    return !file.isDirect() && (plan.isJumpedIn() || !(hasWindows && memoryAware.readsDirectly()));
  }

  /**
   * Returns the view ({@link Extent#view}) of memory that holds a range in one piece, and will hold
   * it for as long as the view can be reached, or null if there is none just now.
   *
   * @param maker makes the view if there is none yet
   */
  Object view(long position, long count, Extent.ViewMaker maker) {
    Object view = viewNow(position, count, maker);
    if (view == null && blocks.extents().inOne(position, count)) {
      // Somebody would have used it, so it is worth having the next time, or even this time.
      if (plan.onePass()) {
        // A merge takes so long that a good start is worth waiting for.
        blocks.extents().gather(position, sourceOfExtents());
        return viewNow(position, count, maker);
      }
      blocks.extents().wantInOnePiece(position, file);
    }
    return view;
  }

  private Object viewNow(long position, long count, Extent.ViewMaker maker) {
    Extent extent = blocks.extent(position);
    return extent == null || position + count > extent.start() + extent.size()
        ? null
        : extent.view(maker);
  }

  /** Calls {@link Extents#completeLater}. */
  void completeLater(long position) {
    // A hit is no reason to open the file once more.
    blocks.extents().completeLater(position, file);
  }

  // ---- advice ----

  /**
   * Gives the kernel the advice of a new plan, for a descriptor that may have had other advice
   * before.
   */
  void changeAdvice(ReadPlan plan) {
    if (!file.isDirect()) {
      file.advise(0, 0, plan.advice());
    }
  }

  /**
   * Has the kernel read the range into the page cache, without checking whether it is there: this
   * takes about as long as the device does, as with a mapped file. It does nothing if blocks are
   * read past the page cache just now, as far as is known, so that hardly anybody would find them
   * there.
   */
  void preload(long position, long length) {
    if (length > 0 && PlatformThreads.areNeeded()) {
      StackReserve.ensure();
      Object ignored =
          PlatformThreads.make(
              () -> {
                preload(position, length);
                return null;
              });
      return;
    }
    long end = position + length;
    boolean isTaken = true;
    for (long at = position; at < end && isTaken && readsThroughPageCache(); at += PRELOAD_BYTES) {
      isTaken = file.advise(at, Math.min(PRELOAD_BYTES, end - at), Advice.WILLNEED);
    }
  }

  /**
   * Does what {@link #preload} does, but is cheap if the range is already in the cache or resident.
   * With direct I/O, which has no page cache to load it into, the range is loaded into the block
   * cache.
   *
   * @param atRandom whether reads of a few bytes may leave the rest of their block alone. Others
   *     load it into the cache, and wait for its absent part as if nothing had been prefetched
   */
  void prefetch(long position, long length, boolean atRandom) {
    if (hasWindows && (length == 0 || blocks.isCached(position, length))) {
      return;
    }
    if (readsThroughPageCache()) {
      if (hasWindows && !atRandom) {
        long mask = blocks.cache().blockSize() - 1L;
        long end = Math.min((position + length + mask) & ~mask, file.length());
        position &= ~mask;
        length = end - position;
      }
      prefetchGate.prefetch(position, length);
    } else if (hasWindows) {
      blocks.prefetch(position, length, source());
    }
  }

  void close() throws IOException {
    // This comes before anything has changed: half of what follows must not be done.
    StackReserve.ensureForCalls();
    open = false;
    if (!guard.end()) {
      // Only one call gives up the part in the cache, which others may share.
      return;
    }
    try (file;
        memoryAware;
        ahead) {
      try {
        if (blocks != null) {
          blocks.close(hasWindows);
        }
      } finally {
        if (hasWindows) {
          blocks.cache().spare().drop(guard);
        }
      }
      if (dropAtClose) {
        file.advise(0, 0, Advice.DONTNEED);
      }
    } finally {
      if (hasWindows) {
        // What has been announced and has not begun holds on to the descriptor, and to slots.
        blocks.cache().queues().flush();
      }
    }
  }

  /** Returns the exception that Lucene expects of a read after close. */
  AlreadyClosedException alreadyClosed(Object input) {
    return new AlreadyClosedException("Already closed: " + input);
  }
}
