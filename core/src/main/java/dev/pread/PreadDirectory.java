/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread;

import dev.pread.posix.Backend;
import dev.pread.posix.Backends;
import dev.pread.posix.OpenMode;
import dev.pread.posix.PosixFile;
import dev.pread.store.PreadIndexInput;
import dev.pread.store.PreadIndexOutput;
import dev.pread.store.ReadPlan;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.lucene.store.FSDirectory;
import org.apache.lucene.store.FSLockFactory;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.apache.lucene.store.IndexOutput;
import org.apache.lucene.store.LockFactory;
import org.apache.lucene.util.Unwrappable;

/**
 * A directory that reads with {@code pread(2)} through the page cache: a drop-in replacement for
 * {@link org.apache.lucene.store.NIOFSDirectory} and {@link org.apache.lucene.store.MMapDirectory}.
 *
 * <p>Unlike the first it takes no monitor on any read, so it scales with the cores, and an
 * interrupt closes nothing; unlike the second it maps nothing, so a thread that waits for the disk
 * waits in a system call and holds up no safepoint. The index on disk is the same for all three:
 * switch in either direction at any time.
 *
 * <p><b>Hints.</b> What Lucene says in an {@link IOContext} reaches the kernel by {@code
 * posix_fadvise}: random and sequential access for the file, preloads and {@code prefetch} as
 * {@code WILLNEED}; cold files that are read once leave the page cache again ({@link
 * PreadConfig#dropBehind}).
 *
 * <p><b>Backend.</b> FFM on Java 22 and later with {@code lucene-pread-ffi} on the class path and
 * native access allowed ({@code --enable-native-access=ALL-UNNAMED}); else {@code FileChannel},
 * which is said once in the log. {@code -Ddev.pread.backend} or {@link PreadConfig#backend} forces
 * one.
 *
 * <p><b>Errors.</b> A file that is missing, unreadable, cut short, or on a failing device gives the
 * exception that Lucene expects of every {@code FSDirectory} ({@link
 * java.nio.file.NoSuchFileException}, {@link java.nio.file.AccessDeniedException}, {@link
 * java.io.EOFException}, ...), with path, call and errno in its message. No descriptor stays open.
 *
 * <p><b>Thread-safety.</b> Safe for any number of threads, as every {@code Directory}; inputs and
 * outputs are for one thread at a time, inputs are cloned for more.
 */
public final class PreadDirectory extends FSDirectory {

  private final PreadConfig config;
  private final Backend backend;

  /** {@link #directory} without the wrappers that tests put around it. */
  private final Path nativeDirectory;

  private final AtomicLong nextTempFile = new AtomicLong();

  /**
   * With the default lock factory and configuration.
   *
   * @param path the folder, created if it does not exist
   */
  public PreadDirectory(Path path) throws IOException {
    this(path, FSLockFactory.getDefault());
  }

  /**
   * With the default configuration.
   *
   * @param path the folder, created if it does not exist
   */
  public PreadDirectory(Path path, LockFactory lockFactory) throws IOException {
    this(path, lockFactory, PreadConfig.DEFAULT);
  }

  /**
   * @param path the folder, created if it does not exist
   * @throws IllegalStateException if the configuration names a backend that can't be used here
   */
  public PreadDirectory(Path path, LockFactory lockFactory, PreadConfig config) throws IOException {
    this(path, lockFactory, config, Backends.choose(config.backend()));
  }

  /** For tests that bring their own backend. */
  PreadDirectory(Path path, LockFactory lockFactory, PreadConfig config, Backend backend)
      throws IOException {
    super(path, lockFactory);
    this.config = config;
    this.backend = backend;
    this.nativeDirectory = Unwrappable.unwrapAll(directory);
  }

  @Override
  public IndexInput openInput(String name, IOContext context) throws IOException {
    ensureOpen();
    ensureCanRead(name);
    PosixFile file = backend.open(resolve(name), OpenMode.READ);
    try {
      return PreadIndexInput.open(backend, file, context, config.dropBehind(), this::plan);
    } catch (Throwable t) {
      closeAfter(t, file);
      throw t;
    }
  }

  private ReadPlan plan(IOContext context) {
    return ReadPlan.of(
        context, config.bufferSize(), config.readAheadSize(), config.defaultReadAdvice());
  }

  @Override
  public IndexOutput createOutput(String name, IOContext context) throws IOException {
    ensureOpen();
    // A file that could not be deleted before may be now, and comes back to life by this call.
    deletePendingFiles();
    return create(name);
  }

  @Override
  public IndexOutput createTempOutput(String prefix, String suffix, IOContext context)
      throws IOException {
    ensureOpen();
    deletePendingFiles();
    while (true) {
      String name = getTempFileName(prefix, suffix, nextTempFile.getAndIncrement());
      try {
        return create(name);
      } catch (FileAlreadyExistsException e) {
        // Left by another writer, or pending deletion: the next number may be free.
        assert e.getFile() != null : e;
      }
    }
  }

  private IndexOutput create(String name) throws IOException {
    PosixFile file = backend.open(resolve(name), OpenMode.CREATE);
    try {
      return new PreadIndexOutput(backend, name, file, config.writeBufferSize());
    } catch (Throwable t) {
      closeAfter(t, file);
      throw t;
    }
  }

  @Override
  protected void fsync(String name) throws IOException {
    try (PosixFile file = backend.open(resolve(name), OpenMode.WRITE)) {
      file.syncData();
    }
  }

  /** As {@code FSDirectory} does it, but also where the thread is interrupted. */
  @Override
  public void syncMetaData() throws IOException {
    ensureOpen();
    backend.syncFolder(nativeDirectory);
    deletePendingFiles();
  }

  private Path resolve(String name) {
    return nativeDirectory.resolve(name);
  }

  private static void closeAfter(Throwable failure, PosixFile file) {
    try {
      file.close();
    } catch (IOException e) {
      failure.addSuppressed(e);
    }
  }

  /** The configuration this directory was made with. */
  public PreadConfig config() {
    return config;
  }

  /** The name of the backend in use: {@code ffm}, {@code jni} or {@code channel}. */
  public String backendName() {
    return backend.posix().name();
  }

  @Override
  public String toString() {
    return super.toString() + " backend=" + backendName();
  }
}
