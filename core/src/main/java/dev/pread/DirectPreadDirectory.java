/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread;

import dev.pread.cache.SlotCache;
import dev.pread.posix.Advice;
import dev.pread.posix.Backend;
import dev.pread.posix.BackendRegistry;
import dev.pread.posix.DirectIoUnsupportedException;
import dev.pread.posix.LargeBuffers;
import dev.pread.posix.OpenMode;
import dev.pread.posix.PosixFile;
import dev.pread.store.LuceneContext;
import java.io.IOException;
import java.lang.System.Logger;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.lucene.store.FSLockFactory;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.LockFactory;

/**
 * A directory that reads with {@code pread(2)} and {@code O_DIRECT}, past the page cache, and
 * writes large merges and flushes in the same way. The {@link BlockCache} is the only memory that
 * holds its files.
 *
 * <p>A miss goes from the device into the cache, in one call and without a second copy. Merges and
 * other readers that pass through a file once have a read-ahead of their own; they use what is in
 * the cache and put nothing into it. {@link PreadConfig#directWriteMinSize} says which merges and
 * flushes are large. Small files that are flushed are in the cache when they are first searched.
 *
 * <p>{@code IndexInput.prefetch} reads blocks into the cache in the background, many at the same
 * time: by asynchronous reads, which need no thread. Where there is no queue for these, or a queue
 * is full, up to 16 threads of the cache read instead; they end when there is nothing to do.
 *
 * <p><b>Alignment</b> is what the kernel says it is for the file ({@code statx}, {@code
 * STATX_DIOALIGN}), or 4096 where it does not say.
 *
 * <p><b>Fallback.</b> Where the file system has no direct I/O (tmpfs and overlays of some kernels),
 * where the device wants larger blocks than the cache has, and with the {@code channel} backend,
 * the files concerned go through the page cache as with {@link PreadDirectory}. This is logged once
 * per process for each reason, and {@link #usesPageCache} tells it for each directory.
 *
 * <p>Everything else is as with {@link PreadDirectory}: the files, the errors, thread-safety, and
 * the size of the cache, which adapts.
 */
public final class DirectPreadDirectory extends BasePreadDirectory {

  private static final Logger LOGGER = System.getLogger(DirectPreadDirectory.class.getName());

  private volatile boolean usesPageCache;

  /**
   * Whether a file here has been read with direct I/O, so that the file system does not refuse it.
   */
  private volatile boolean hasRead;

  /**
   * Whether the file system has refused to read a file with direct I/O that it had let be opened
   * for it. If so, the directory opens nothing for it again: a read would need several calls to
   * find that out, and a write would learn of it too late.
   */
  private volatile boolean readsRefused;

  /**
   * Whether the file system has refused to create files for direct I/O, or has left one behind that
   * could not be deleted. If so, that is not tried again, since each attempt makes the kernel
   * create the file, which then has to be deleted before it is created again. What is refused for
   * one file alone is no reason not to try the next.
   */
  private volatile boolean writesRefused;

  /**
   * Creates a directory with the default lock factory and configuration.
   *
   * @param path the folder on the default file system, created if it does not exist
   * @throws IOException if the folder can't be created or opened
   */
  public DirectPreadDirectory(Path path) throws IOException {
    this(path, FSLockFactory.getDefault());
  }

  /**
   * Creates a directory with the default configuration.
   *
   * @param path the folder on the default file system, created if it does not exist
   * @param lockFactory what locks the folder against a second writer
   * @throws IOException if the folder can't be created or opened
   */
  public DirectPreadDirectory(Path path, LockFactory lockFactory) throws IOException {
    this(path, lockFactory, PreadConfig.DEFAULT);
  }

  /**
   * Creates a directory.
   *
   * @param path the folder on the default file system, created if it does not exist
   * @param lockFactory what locks the folder against a second writer
   * @param config how it reads and writes, and with which cache
   * @throws IOException if the folder can't be created or opened
   * @throws IllegalStateException if the configuration names a backend that can't be used here
   * @throws IllegalArgumentException if the path is not of the default file system (wrappers around
   *     it are), if the configuration's cache is closed, or if it has none and a system property
   *     for the shared one has a value that can't be used
   */
  public DirectPreadDirectory(Path path, LockFactory lockFactory, PreadConfig config)
      throws IOException {
    this(path, lockFactory, config, BackendRegistry.choose(config.backend()));
  }

  /** Creates a directory for tests that bring their own backend. */
  DirectPreadDirectory(Path path, LockFactory lockFactory, PreadConfig config, Backend backend)
      throws IOException {
    super(path, lockFactory, config, backend, cache(config, DefaultCaches::direct));
  }

  @Override
  PosixFile openForReading(Path path) throws IOException {
    return readsRefused
        ? backend().open(path, OpenMode.READ)
        : open(path, OpenMode.READ_DIRECT, OpenMode.READ);
  }

  /** Returns whether the blocks that the device wants fit into ours. */
  private boolean fits(PosixFile file) {
    return file.alignment() <= largestAlignment();
  }

  private int largestAlignment() {
    return cache().slots() == null
        ? LargeBuffers.ALIGNMENT
        : Math.min(LargeBuffers.ALIGNMENT, cache().blockSize());
  }

  @Override
  PosixFile openForWriting(Path path, IOContext context) throws IOException {
    return readsRefused || writesRefused || !isLarge(context)
        ? backend().open(path, OpenMode.CREATE)
        : open(path, OpenMode.CREATE_DIRECT, OpenMode.CREATE);
  }

  /** Opens a file past the page cache, or through it where that can't be had. */
  private PosixFile open(Path path, OpenMode direct, OpenMode buffered) throws IOException {
    PosixFile file;
    DirectIoUnsupportedException refusal = null;
    try {
      file = backend().open(path, direct);
    } catch (DirectIoUnsupportedException e) {
      // Only if this succeeds is direct I/O why the file could not be opened.
      file = openAfter(e, path, buffered);
      refusal = e;
    }
    try {
      if (refusal == null && fits(file)) {
        refusal = tryRead(file);
        if (refusal == null) {
          return file;
        }
        readsRefused = true;
      } else if (direct.creates() && (refusal == null || refusal.isRefusedByFileSystem())) {
        writesRefused = true;
      }
      fallBack(refusal == null ? misfit(file) : refusal.reason(), path);
      if (!file.isDirect()) {
        return file;
      }
      file.close();
      if (direct.creates()) {
        // The file is ours and empty.
        Files.delete(path);
      }
    } catch (Throwable t) {
      if (direct.creates()) {
        discardAfter(t, file);
      } else {
        closeAfter(t, file);
      }
      throw t;
    }
    return backend().open(path, buffered);
  }

  /**
   * Reads a little of the first file that has anything to read: some file systems refuse direct I/O
   * only then. Once it has worked, what is refused is an error.
   *
   * @return why it is refused, or null
   * @throws IOException if it fails for another reason
   */
  private DirectIoUnsupportedException tryRead(PosixFile file) throws IOException {
    if (hasRead || file.length() == 0) {
      return null;
    }
    try {
      file.tryDirectRead();
      hasRead = true;
      return null;
    } catch (DirectIoUnsupportedException e) {
      return e;
    }
  }

  private PosixFile openAfter(DirectIoUnsupportedException refusal, Path path, OpenMode mode)
      throws IOException {
    try {
      return backend().open(path, mode);
    } catch (FileAlreadyExistsException e) {
      e.addSuppressed(refusal);
      if (refusal.getSuppressed().length > 0) {
        // The kernel has left it, and it could not be deleted. Each further attempt would leave
        // one. Otherwise it is somebody else's.
        writesRefused = true;
        fallBack(refusal.reason(), path);
      }
      throw e;
    }
  }

  private String misfit(PosixFile file) {
    return "the device wants blocks of "
        + file.alignment()
        + " bytes, and the most that can be had with this cache is "
        + largestAlignment();
  }

  /** A file of no known size is not large, unless all files are. */
  private boolean isLarge(IOContext context) {
    return LuceneContext.isOfWriter(context)
        && LuceneContext.estimatedBytes(context) >= config().directWriteMinSize();
  }

  /**
   * Syncs the file. What was written through the page cache then leaves it, being safe on the
   * device, unless it may be read through it, too.
   */
  @Override
  protected void fsync(String name) throws IOException {
    try (PosixFile file = backend().open(resolve(name), OpenMode.WRITE)) {
      file.syncData();
      if (!usesPageCache) {
        file.advise(0, 0, Advice.DONTNEED);
      }
    }
  }

  private void fallBack(String reason, Path file) {
    usesPageCache = true;
    backend()
        .warnOnce(
            LOGGER,
            reason,
            () ->
                "files in "
                    + getDirectory()
                    + " are read or written through the page cache, which takes memory beside the"
                    + " block cache: "
                    + reason
                    + ": "
                    + file
                    + ". Use PreadDirectory there, or a file system with O_DIRECT such as ext4 or"
                    + " XFS and the ffm or jni backend; said once per process for each reason,"
                    + " DirectPreadDirectory.usesPageCache() tells for each directory");
  }

  /**
   * Returns whether at least one file has been read or written through the page cache for want of
   * direct I/O. Others may still bypass the page cache, unless the file system has refused to read
   * what it had let be opened.
   */
  public boolean usesPageCache() {
    return usesPageCache;
  }

  @Override
  public String toString() {
    return super.toString()
        + " O_DIRECT"
        + (usesPageCache() ? " (files use the page cache)" : "")
        + readAhead(readAheadEngine(), cache());
  }

  /** Returns what reads ahead, or is going to if there has been nothing to read ahead so far. */
  private String readAheadEngine() {
    SlotCache slots = cache().slots();
    String engine = cache().stats().prefetchEngine();
    if (slots == null || usesPageCache() || !engine.equals(CacheStats.NO_ENGINE)) {
      return engine;
    }
    return slots.queues().depth() == 0 ? "threads" : backend().readAheadEngine();
  }
}
