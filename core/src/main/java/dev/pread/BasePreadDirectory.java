/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread;

import dev.pread.posix.Backend;
import dev.pread.posix.OpenMode;
import dev.pread.posix.PosixFile;
import dev.pread.posix.QuietLog;
import dev.pread.store.FreshFiles;
import dev.pread.store.InputOpener;
import dev.pread.store.LuceneContext;
import dev.pread.store.OutputFile;
import dev.pread.store.PreadIndexOutput;
import dev.pread.store.ReadPlan;
import dev.pread.store.RightLucene;
import java.io.Closeable;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.apache.lucene.store.FSDirectory;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.apache.lucene.store.IndexOutput;
import org.apache.lucene.store.LockFactory;
import org.apache.lucene.util.Unwrappable;

/**
 * The base of the directories, with everything they have in common. Subclasses say how files are
 * opened.
 */
abstract class BasePreadDirectory extends FSDirectory {

  private static final Logger LOGGER = System.getLogger(BasePreadDirectory.class.getName());

  static {
    RightLucene.describe(PreadDirectory.class, DirectPreadDirectory.class);
  }

  /**
   * Flushes are smaller, since a thread of {@code IndexWriter} has less than 2 GiB for what it
   * flushes. Solr calls a flush what it copies from another node and does not want in a cache.
   */
  private static final long MAX_FLUSH_BYTES = 2L << 30;

  private final PreadConfig config;
  private final Backend backend;
  private final BlockCache cache;

  /** {@link #directory} without the wrappers that tests put around it. */
  private final Path nativeDirectory;

  private final AtomicLong nextTempFile = new AtomicLong();

  private final InputOpener inputs;
  private final FreshFiles fresh;

  /**
   * Creates a directory.
   *
   * @param cache the cache for the blocks of its files
   */
  BasePreadDirectory(
      Path path, LockFactory lockFactory, PreadConfig config, Backend backend, BlockCache cache)
      throws IOException {
    // These come before anything is created: super would create the folder itself, on the other
    // file system.
    super(checkFileSystem(checkLucene(path)), lockFactory);
    this.config = config;
    this.backend = backend;
    this.cache = cache;
    this.nativeDirectory = Unwrappable.unwrapAll(directory);
    this.inputs =
        new InputOpener(
            backend,
            cache.slots(),
            new ReadPlan.Defaults(
                config.bufferSize(),
                config.sequentialBufferSize(),
                config.randomByDefault(),
                config.dropBehind()));
    this.fresh = new FreshFiles(inputs);
  }

  /** Returns {@code path} if this artifact is for the Lucene that is here. */
  private static Path checkLucene(Path path) {
    RightLucene.check();
    return path;
  }

  /**
   * Returns {@code path} if its name means the same file to system calls, which take names, as to
   * {@code java.nio.file}. In a zip it does not: what is created there and written here would be a
   * file of the host that happens to have that name.
   */
  private static Path checkFileSystem(Path path) {
    FileSystem fileSystem = Unwrappable.unwrapAll(path).getFileSystem();
    if (!fileSystem.equals(FileSystems.getDefault())) {
      throw new IllegalArgumentException(
          "this directory reads files of the default file system, and this path is one in the"
              + " file system of provider \""
              + fileSystem.provider().getScheme()
              + "\" ("
              + fileSystem
              + "): copy the index to a folder, or use a directory of Lucene's such as"
              + " ByteBuffersDirectory: "
              + path);
    }
    return path;
  }

  /** Returns the cache of the configuration, or the shared one if the configuration has none. */
  static BlockCache cache(PreadConfig config, Supplier<BlockCache> shared) {
    BlockCache cache = config.cache();
    if (cache == null) {
      return shared.get();
    }
    if (cache.isClosed()) {
      // It would work, but without a cache, and nobody would know why it is slow.
      throw new IllegalArgumentException(
          "PreadConfig.cache is closed: make a new one, or use new BlockCache(0) for none: "
              + cache);
    }
    return cache;
  }

  /** Opens a file to read it. */
  abstract PosixFile openForReading(Path path) throws IOException;

  /** Creates a file to write it. */
  abstract PosixFile openForWriting(Path path, IOContext context) throws IOException;

  @Override
  public IndexInput openInput(String name, IOContext context) throws IOException {
    ensureOpen();
    ensureCanRead(name);
    PosixFile file = openForReading(resolve(name));
    Closeable opened = file;
    try {
      IndexInput input = inputs.open(file, context);
      opened = input;
      fresh.remove(name);
      return input;
    } catch (Throwable t) {
      closeAfter(t, opened);
      throw t;
    }
  }

  @Override
  public IndexOutput createOutput(String name, IOContext context) throws IOException {
    ensureOpen();
    // A file whose deletion failed before can perhaps be deleted now.
    deletePendingFiles();
    return create(name, context);
  }

  @Override
  public IndexOutput createTempOutput(String prefix, String suffix, IOContext context)
      throws IOException {
    ensureOpen();
    deletePendingFiles();
    while (true) {
      String name = getTempFileName(prefix, suffix, nextTempFile.getAndIncrement());
      try {
        return create(name, context);
      } catch (FileAlreadyExistsException e) {
        // The file was left by another writer, or its deletion is pending: the next number may be
        // free.
        assert e.getFile() != null : e;
      }
    }
  }

  private IndexOutput create(String name, IOContext context) throws IOException {
    try {
      ensureCanRead(name);
    } catch (NoSuchFileException e) {
      // What is created under this name now would be deleted as soon as that can be done.
      throw new FileAlreadyExistsException(
          resolve(name).toString(), null, "its deletion has failed and will be tried again");
    }
    PosixFile file = openForWriting(resolve(name), context);
    try {
      int bufferSize =
          file.isDirect()
              ? Math.max(config.writeBufferSize(), OutputFile.DIRECT_WRITE_SIZE)
              : config.writeBufferSize();
      PreadIndexOutput.Completion whenComplete =
          LuceneContext.isFlush(context)
                  && LuceneContext.estimatedBytes(context) < MAX_FLUSH_BYTES
                  && !file.isDirect()
              ? this::flushed
              : (written, length) -> {};
      OutputFile output = new OutputFile(backend, file, inputs::isShortOfMemory);
      return new PreadIndexOutput(output, name, bufferSize, whenComplete);
    } catch (Throwable t) {
      discardAfter(t, file);
      throw t;
    }
  }

  /**
   * Reads into the cache a small file that has just been flushed, since it will be searched next
   * and its bytes are easy to get now. The file is complete even if it can't be read now, so a
   * failure is no reason to fail the flush: whoever opens the file is told, if the trouble
   * persists.
   */
  private void flushed(String name, long length) {
    if (fresh.wants(name, length)) {
      try {
        fresh.add(name, () -> backend.open(resolve(name), OpenMode.READ));
      } catch (IOException | OutOfMemoryError | StackOverflowError | RuntimeException e) {
        // A RuntimeException would be a defect of ours, which somebody should know of.
        QuietLog.log(
            LOGGER,
            e instanceof RuntimeException ? Level.WARNING : Level.DEBUG,
            e,
            () -> "read through the cache when first searched: " + name + " in " + getDirectory());
      }
    }
  }

  @Override
  public void deleteFile(String name) throws IOException {
    // The name is removed before the deletion, since some file systems keep a deleted file's name
    // as long as it is open, and again after it, since another thread may have opened the file in
    // between.
    fresh.remove(name);
    try {
      super.deleteFile(name);
    } finally {
      fresh.remove(name);
      if (cache.slots() != null) {
        cache.slots().files().forget(resolve(name).toString());
      }
    }
  }

  @Override
  public void rename(String source, String dest) throws IOException {
    fresh.remove(source);
    fresh.remove(dest);
    try {
      super.rename(source, dest);
    } finally {
      fresh.remove(source);
      fresh.remove(dest);
    }
  }

  @Override
  @SuppressWarnings("UnsynchronizedOverridesSynchronized") // The lock of super is enough for it.
  public void close() throws IOException {
    try (fresh) {
      super.close();
    }
  }

  @Override
  protected void fsync(String name) throws IOException {
    try (PosixFile file = backend.open(resolve(name), OpenMode.WRITE)) {
      file.syncData();
    }
  }

  /** Does what {@code FSDirectory} does, and works even if the thread is interrupted. */
  @Override
  public void syncMetaData() throws IOException {
    ensureOpen();
    backend.syncFolder(nativeDirectory);
    deletePendingFiles();
  }

  final Path resolve(String name) {
    return nativeDirectory.resolve(name);
  }

  static void closeAfter(Throwable failure, Closeable opened) {
    try {
      opened.close();
    } catch (IOException | RuntimeException | Error e) {
      failure.addSuppressed(e);
    }
  }

  /** Closes and deletes a file that has just been created, so that it can be created again. */
  static void discardAfter(Throwable failure, PosixFile created) {
    closeAfter(failure, created);
    created.deleteAfter(failure);
  }

  /** Returns the configuration this directory was made with. */
  public PreadConfig config() {
    return config;
  }

  /** Returns the cache in use: that of the configuration, or the shared one. */
  public BlockCache cache() {
    return cache;
  }

  final Backend backend() {
    return backend;
  }

  /** Returns the name of the backend in use: {@code ffm}, {@code jni} or {@code channel}. */
  public String backendName() {
    return backend.calls().name();
  }

  /** Returns what reads ahead past the page cache, as the end of a line that says what this is. */
  static String readAhead(String engine, BlockCache cache) {
    if (engine.equals(CacheStats.NO_ENGINE)) {
      return "";
    }
    String depth = engine.equals("aio") ? " queueDepth=" + cache.slots().queues().depth() : "";
    return depth + " prefetch=" + engine;
  }

  @Override
  public String toString() {
    return super.toString() + " backend=" + backendName();
  }
}
