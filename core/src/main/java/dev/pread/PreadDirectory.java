/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread;

import dev.pread.posix.Backend;
import dev.pread.posix.BackendRegistry;
import dev.pread.posix.OpenMode;
import dev.pread.posix.PosixFile;
import java.io.IOException;
import java.nio.file.Path;
import org.apache.lucene.store.FSLockFactory;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.LockFactory;

/**
 * A directory that reads with {@code pread(2)} through the page cache: a drop-in replacement for
 * {@link org.apache.lucene.store.NIOFSDirectory} and {@link org.apache.lucene.store.MMapDirectory}.
 *
 * <p>Unlike the first it takes no monitor on any read, so it scales with the cores, and an
 * interrupt closes nothing; unlike the second it maps nothing, so a thread that waits for the disk
 * waits in a system call and holds up no safepoint. The index on disk is the same for all three:
 * switch in either direction at any time.
 *
 * <p><b>Cache.</b> Hot blocks are in a {@link BlockCache}, by default one that takes the memory
 * that nobody else wants. Once that is all taken, blocks are read past the page cache, because each
 * block would otherwise be held in memory twice. Some are left to the page cache, and all of them
 * where it may keep more than the caches. Closing the directory leaves the cache open.
 *
 * <p><b>Hints.</b> What Lucene says in an {@link IOContext} reaches the kernel by {@code
 * posix_fadvise}: random and sequential access for the file, preloads and {@code prefetch} as
 * {@code WILLNEED}. Cold files that are read once leave the page cache again ({@link
 * PreadConfig#dropBehind}).
 *
 * <p><b>Backend.</b> The directory uses {@code ffm} on Java 22 and later with {@code
 * lucene-pread-ffi} on the class path, or else {@code jni} on Linux with {@code lucene-pread-jni};
 * both need native access to be allowed ({@code --enable-native-access=ALL-UNNAMED}). Otherwise it
 * uses {@code channel}, over {@code FileChannel}, and says so once in the log. {@code
 * -Ddev.pread.backend} or {@link PreadConfig#backend} forces one.
 *
 * <p><b>Errors.</b> For a file that is missing, unreadable, cut short, or on a failing device, the
 * directory throws the exception that Lucene expects of every {@code FSDirectory} ({@link
 * java.nio.file.NoSuchFileException}, {@link java.nio.file.AccessDeniedException}, {@link
 * java.io.EOFException}, ...), with the path, the call and the errno in its message. No descriptor
 * stays open.
 *
 * <p><b>Thread-safety.</b> The directory is safe for any number of threads, as every {@code
 * Directory} is; inputs and outputs are for one thread at a time, and inputs are cloned for more. A
 * virtual thread that searches and has to wait for the disk parks meanwhile.
 */
public final class PreadDirectory extends BasePreadDirectory {

  /**
   * Creates a directory with the default lock factory and configuration.
   *
   * @param path the folder on the default file system, created if it does not exist
   * @throws IOException if the folder can't be created or opened
   */
  public PreadDirectory(Path path) throws IOException {
    this(path, FSLockFactory.getDefault());
  }

  /**
   * Creates a directory with the default configuration.
   *
   * @param path the folder on the default file system, created if it does not exist
   * @param lockFactory what locks the folder against a second writer
   * @throws IOException if the folder can't be created or opened
   */
  public PreadDirectory(Path path, LockFactory lockFactory) throws IOException {
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
  public PreadDirectory(Path path, LockFactory lockFactory, PreadConfig config) throws IOException {
    this(path, lockFactory, config, BackendRegistry.choose(config.backend()));
  }

  /** Creates a directory for tests that bring their own backend. */
  PreadDirectory(Path path, LockFactory lockFactory, PreadConfig config, Backend backend)
      throws IOException {
    super(path, lockFactory, config, backend, cache(config, DefaultCaches::buffered));
  }

  @Override
  PosixFile openForReading(Path path) throws IOException {
    return backend().open(path, OpenMode.READ);
  }

  @Override
  PosixFile openForWriting(Path path, IOContext context) throws IOException {
    return backend().open(path, OpenMode.CREATE);
  }

  /** Names what prefetches past the page cache, once the cache has had such a prefetch. */
  @Override
  public String toString() {
    return super.toString() + readAhead(cache().stats().prefetchEngine(), cache());
  }
}
