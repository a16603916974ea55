/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import dev.pread.cache.BlockSource;
import dev.pread.cache.CachedFile;
import dev.pread.cache.OpenGuard;
import dev.pread.cache.Slot;
import dev.pread.posix.Advice;
import dev.pread.posix.FileClosedException;
import dev.pread.posix.PosixFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.function.Function;
import org.apache.lucene.store.AlreadyClosedException;
import org.apache.lucene.store.IOContext;

/**
 * What one {@code openInput} and all clones and slices made of it share: the file, its blocks in
 * the cache, how to read it, and what has been learned about its residency. Every read of it goes
 * through here, which is also where a file that is closed becomes the exception that Lucene
 * expects.
 *
 * <p>Thread-safe. Owned by the input that {@code openInput} returned, whose {@code close} closes
 * it.
 */
public final class InputFile {

  /**
   * Below this a file that is read once is left in the page cache: metadata that the next reopen
   * wants again.
   */
  private static final long DROP_BEHIND_MIN_LENGTH = 1 << 20;

  private final PosixFile file;
  private final FileReader reader;
  private final ReadAhead ahead;
  private final CachedFile blocks;
  private final boolean hasWindows;
  private final BlockSource source;
  private final OpenGuard guard = new OpenGuard();
  private final PrefetchGate prefetchGate;
  private final Function<IOContext, ReadPlan> planner;
  private final boolean forMerge;
  private final boolean dropAtClose;

  /**
   * False once closed. Plain and not volatile on purpose: it is looked at on every read out of a
   * buffer. A thread that sees it late reads bytes that were right when they were buffered, and
   * only until its buffer ends; the read that refills it asks {@link PosixFile}, which can't be
   * late.
   */
  private boolean open = true;

  /**
   * Whether it has turned out that a file that was opened to be read once is read again and again.
   * Plain: a thread that sees it late reads a block from the file once more.
   */
  private boolean readAgain;

  /**
   * @param opener of the directory
   * @param file is closed by {@link #close}; where this throws, it stays the caller's
   */
  InputFile(InputOpener opener, PosixFile file, ReadPlan plan) throws IOException {
    this.file = file;
    this.reader = new FileReader(opener.backend(), file);
    this.source = new FileBlocks(opener.backend(), file);
    this.ahead =
        file.isDirect() && plan.bypassesCache()
            ? new ReadAhead(opener.backend().large(), file)
            : null;
    this.prefetchGate = new PrefetchGate(file, reader);
    this.forMerge = plan.bypassesCache();
    this.planner = opener.planner();
    this.dropAtClose =
        opener.dropBehind()
            && !file.isDirect()
            && plan.readOnce()
            && file.length() >= DROP_BEHIND_MIN_LENGTH
            && prefetchGate.looksCold();
    advise(plan);
    if (plan.preload()) {
      willNeed(0, file.length());
    }
    this.blocks = opener.cached(file);
    this.hasWindows = blocks != null && InputOpener.readsInCache(file, plan);
  }

  Path path() {
    return file.path();
  }

  long length() {
    return file.length();
  }

  boolean isOpen() {
    return open;
  }

  /** Its blocks in the cache, null where there is none. */
  CachedFile blocks() {
    return blocks;
  }

  /** Whether its inputs have windows in the cache. */
  boolean hasWindows() {
    return hasWindows;
  }

  /** Gives up its part in the cache, and not the file: for an input that has come to nothing. */
  void giveUpBlocks() {
    if (guard.end() && blocks != null) {
      blocks.close(false);
    }
  }

  /** Ends when the file is closed: the owner of what inputs read into the cache's spare memory. */
  OpenGuard guard() {
    return guard;
  }

  ReadPlan plan(IOContext context) {
    return planner.apply(context);
  }

  // ---- reads; `input` is who is named in the exception ----

  /**
   * Reads past the cache, but what is there.
   *
   * @param keep whether to bring it into the cache first, since it will be read again
   */
  void readBytes(Object input, long position, byte[] dst, int offset, int length, boolean keep)
      throws IOException {
    try {
      if (blocks != null) {
        if (keep) {
          blocks.loadRange(position, length, source);
        }
        int copied = blocks.copy(position, dst, offset, length);
        position += copied;
        offset += copied;
        length -= copied;
      }
      if (length > 0 && ahead != null) {
        int read = ahead.read(position, dst, offset, length);
        position += read;
        offset += read;
        length -= read;
      }
      if (length > 0) {
        reader.readBytes(position, dst, offset, length);
      }
    } catch (FileClosedException e) {
      throw alreadyClosed(input, e);
    }
  }

  /** Reads past the cache, whatever is there. */
  void readBytesPast(Object input, long position, byte[] dst, int offset, int length)
      throws IOException {
    try {
      reader.readBytes(position, dst, offset, length);
    } catch (FileClosedException e) {
      throw alreadyClosed(input, e);
    }
  }

  void readLongs(Object input, long position, long[] dst, int offset, int length)
      throws IOException {
    try {
      reader.readLongs(position, dst, offset, length);
    } catch (FileClosedException e) {
      throw alreadyClosed(input, e);
    }
  }

  void readInts(Object input, long position, int[] dst, int offset, int length) throws IOException {
    try {
      reader.readInts(position, dst, offset, length);
    } catch (FileClosedException e) {
      throw alreadyClosed(input, e);
    }
  }

  void readFloats(Object input, long position, float[] dst, int offset, int length)
      throws IOException {
    try {
      reader.readFloats(position, dst, offset, length);
    } catch (FileClosedException e) {
      throw alreadyClosed(input, e);
    }
  }

  /** Reads past the cache into a direct buffer, from {@code offset} on. */
  void readInto(Object input, long position, ByteBuffer dst, int offset, int length)
      throws IOException {
    try {
      reader.readBytes(position, dst, offset, length);
    } catch (FileClosedException e) {
      throw alreadyClosed(input, e);
    }
  }

  /** See {@link CachedFile#load}. */
  Slot load(Object input, int block, int count) throws IOException {
    try {
      return blocks.load(block, count, source);
    } catch (FileClosedException e) {
      throw alreadyClosed(input, e);
    }
  }

  /**
   * Whether a read at random is better made past the cache; see {@link CachedFile#shouldBypass}.
   * Direct I/O reads whole blocks anyway, and a device makes a second miss dear.
   */
  boolean shouldBypass(long position) {
    return !file.isDirect() && blocks.shouldBypass((int) (position >>> blocks.cache().blockBits()));
  }

  /**
   * Whether a read past the cache that begins here should come into the cache after all, since
   * reads have begun in this block again and again. Counts those that had to go to the file. A
   * block that others have brought in is no sign of it: a merge goes on from there to the end.
   */
  boolean isWanted(long position) {
    if (blocks == null) {
      return false;
    }
    int block = (int) (position >>> blocks.cache().blockBits());
    if (blocks.find(block) != null) {
      return readAgain;
    }
    boolean wanted = blocks.missedOften(block);
    readAgain |= wanted;
    return wanted;
  }

  /** Whether a merge reads it: what that does takes so long that it may as well begin well. */
  boolean isForMerge() {
    return forMerge;
  }

  /** See {@link CachedFile#completeLater}. */
  void completeLater(long position) {
    blocks.completeLater(position, source);
  }

  /** See {@link CachedFile#complete}. */
  boolean complete(long position) {
    return blocks.complete(position, source);
  }

  // ---- advice ----

  /** Tells the kernel how the whole file is going to be read from now on. */
  private void advise(ReadPlan plan) throws FileClosedException {
    // What a descriptor starts with needs no call; direct I/O knows no read-ahead.
    if (plan.advice() != Advice.NORMAL && !file.isDirect()) {
      file.advise(0, 0, plan.advice());
    }
  }

  /** As when it was opened, for a descriptor that may have had other advice before. */
  void changeAdvice(Object input, ReadPlan plan) {
    try {
      if (!file.isDirect()) {
        file.advise(0, 0, plan.advice());
      }
    } catch (FileClosedException e) {
      throw alreadyClosed(input, e);
    }
  }

  /** Has the kernel read the range into the page cache, without a look whether it is there. */
  void willNeed(Object input, long position, long length) {
    try {
      willNeed(position, length);
    } catch (FileClosedException e) {
      throw alreadyClosed(input, e);
    }
  }

  private void willNeed(long position, long length) throws FileClosedException {
    if (length > 0 && !file.isDirect()) {
      file.advise(position, length, Advice.WILLNEED);
    }
  }

  /**
   * As {@link #willNeed}, but cheap where the range is resident already. With direct I/O, which has
   * no page cache to bring it into, the range is brought into the block cache.
   *
   * @param wholeBlocks whether the blocks of the range will be read, and not it alone: what is
   *     missing of a block is waited for as if nothing of it had been prefetched
   */
  void prefetch(Object input, long position, long length, boolean wholeBlocks) throws IOException {
    try {
      if (!file.isDirect()) {
        if (wholeBlocks && length > 0) {
          long mask = blocks.cache().blockSize() - 1L;
          long end = Math.min((position + length + mask) & ~mask, file.length());
          position &= ~mask;
          length = end - position;
        }
        prefetchGate.prefetch(position, length);
      } else if (hasWindows && length > 0) {
        blocks.prefetch(position, length, source);
      }
    } catch (FileClosedException e) {
      throw alreadyClosed(input, e);
    }
  }

  void close() throws IOException {
    open = false;
    if (!guard.end()) {
      // One call gives up the part in the cache, which others may share.
      return;
    }
    try (file) {
      if (blocks != null) {
        blocks.close(hasWindows);
        if (hasWindows) {
          blocks.cache().spare().drop(guard);
        }
      }
      if (ahead != null) {
        ahead.close();
      }
      if (dropAtClose && file.isOpen()) {
        file.advise(0, 0, Advice.DONTNEED);
      }
    } catch (FileClosedException e) {
      // Another thread was faster; then it has dropped them.
      assert !file.isOpen() : e;
    }
  }

  /** The exception Lucene expects of a read after close. */
  AlreadyClosedException alreadyClosed(Object input, Throwable cause) {
    return new AlreadyClosedException("Already closed: " + input, cause);
  }
}
