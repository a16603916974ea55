/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import dev.pread.block.PageCacheReader;
import dev.pread.posix.Advice;
import dev.pread.posix.Backend;
import dev.pread.posix.FileClosedException;
import dev.pread.posix.PosixFile;
import java.io.IOException;
import java.util.function.Function;
import org.apache.lucene.store.AlreadyClosedException;
import org.apache.lucene.store.IOContext;

/**
 * What one {@code openInput} and all clones and slices made of it share: the file, how to read it,
 * and what has been learned about its residency.
 *
 * <p>Thread-safe. Owned by the input that {@code openInput} returned, whose {@code close} closes
 * it.
 */
final class InputFile {

  /**
   * Below this a file that is read once is left in the page cache: metadata that the next reopen
   * wants again.
   */
  private static final long DROP_BEHIND_MIN_LENGTH = 1 << 20;

  private final PosixFile file;
  private final PageCacheReader reader;
  private final PrefetchGate prefetchGate;
  private final Function<IOContext, ReadPlan> planner;
  private final boolean dropAtClose;

  /**
   * False once closed. Plain and not volatile on purpose: it is looked at on every read out of a
   * buffer. A thread that sees it late reads bytes that were right when they were buffered, and
   * only until its buffer ends; the read that refills it asks {@link PosixFile}, which can't be
   * late.
   */
  private boolean open = true;

  /**
   * @param planner makes the plan for the context of a slice
   */
  InputFile(
      Backend backend,
      PosixFile file,
      ReadPlan plan,
      boolean dropBehind,
      Function<IOContext, ReadPlan> planner)
      throws IOException {
    this.file = file;
    this.reader = new PageCacheReader(backend, file);
    this.prefetchGate = new PrefetchGate(file, reader);
    this.planner = planner;
    this.dropAtClose =
        dropBehind
            && plan.readOnce()
            && file.length() >= DROP_BEHIND_MIN_LENGTH
            && prefetchGate.looksCold();
    advise(plan);
    if (plan.preload()) {
      willNeed(0, file.length());
    }
  }

  PageCacheReader reader() {
    return reader;
  }

  long length() {
    return file.length();
  }

  boolean isOpen() {
    return open;
  }

  ReadPlan plan(IOContext context) {
    return planner.apply(context);
  }

  /** Tells the kernel how the whole file is going to be read from now on. */
  void advise(ReadPlan plan) throws FileClosedException {
    // What a descriptor starts with needs no call.
    if (plan.advice() != Advice.NORMAL) {
      file.advise(0, 0, plan.advice());
    }
  }

  /** As {@link #advise}, for a descriptor that may have had other advice before. */
  void changeAdvice(ReadPlan plan) throws FileClosedException {
    file.advise(0, 0, plan.advice());
  }

  /** Has the kernel read the range into the page cache, without a look whether it is there. */
  void willNeed(long position, long length) throws FileClosedException {
    if (length > 0) {
      file.advise(position, length, Advice.WILLNEED);
    }
  }

  /** As {@link #willNeed}, but cheap where the range is resident already. */
  void prefetch(long position, long length) throws IOException {
    prefetchGate.prefetch(position, length);
  }

  void close() throws IOException {
    open = false;
    if (dropAtClose && file.isOpen()) {
      try {
        file.advise(0, 0, Advice.DONTNEED);
      } catch (FileClosedException e) {
        // Another thread was faster; then it has dropped them.
        assert !file.isOpen() : e;
      }
    }
    file.close();
  }

  /** The exception Lucene expects of a read after close. */
  AlreadyClosedException alreadyClosed(Object input, Throwable cause) {
    return new AlreadyClosedException("Already closed: " + input, cause);
  }
}
