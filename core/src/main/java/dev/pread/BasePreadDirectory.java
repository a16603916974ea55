/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread;

import dev.pread.posix.Backend;
import dev.pread.posix.LargeBuffers;
import dev.pread.posix.OpenMode;
import dev.pread.posix.PosixFile;
import dev.pread.store.FreshFiles;
import dev.pread.store.InputOpener;
import dev.pread.store.PreadIndexOutput;
import dev.pread.store.ReadPlan;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.apache.lucene.store.FSDirectory;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.apache.lucene.store.IndexOutput;
import org.apache.lucene.store.LockFactory;
import org.apache.lucene.util.Unwrappable;

/** What the directories have in common: everything but how a file is opened. */
abstract class BasePreadDirectory extends FSDirectory {

  private static final Logger LOGGER = System.getLogger(BasePreadDirectory.class.getName());

  private final PreadConfig config;
  private final Backend backend;
  private final BlockCache cache;

  /** {@link #directory} without the wrappers that tests put around it. */
  private final Path nativeDirectory;

  private final AtomicLong nextTempFile = new AtomicLong();

  private final InputOpener inputs;
  private final FreshFiles fresh;

  /**
   * @param cache for the blocks of its files
   */
  BasePreadDirectory(
      Path path, LockFactory lockFactory, PreadConfig config, Backend backend, BlockCache cache)
      throws IOException {
    // Before anything is created: the folder itself would be, on the other file system.
    super(checkFileSystem(path), lockFactory);
    this.config = config;
    this.backend = backend;
    this.cache = cache;
    this.nativeDirectory = Unwrappable.unwrapAll(directory);
    this.inputs = new InputOpener(backend, cache.slots(), config.dropBehind(), this::plan);
    this.fresh = new FreshFiles(inputs);
  }

  /**
   * Returns {@code path} if system calls, which take names, mean the same file by its name as
   * {@code java.nio.file} does. In a zip they do not: what is created there and written here would
   * be a file of the host's that happens to have that name.
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

  /** The cache of the configuration, or else the one that is shared. */
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
    try {
      IndexInput input = inputs.open(file, context);
      fresh.remove(name);
      return input;
    } catch (Throwable t) {
      closeAfter(t, file);
      throw t;
    }
  }

  private ReadPlan plan(IOContext context) {
    return ReadPlan.of(
        context, config.bufferSize(), config.sequentialBufferSize(), config.randomByDefault());
  }

  @Override
  public IndexOutput createOutput(String name, IOContext context) throws IOException {
    ensureOpen();
    // A file that could not be deleted before may be now, and comes back to life by this call.
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
        // Left by another writer, or pending deletion: the next number may be free.
        assert e.getFile() != null : e;
      }
    }
  }

  private IndexOutput create(String name, IOContext context) throws IOException {
    PosixFile file = openForWriting(resolve(name), context);
    try {
      int bufferSize =
          file.isDirect()
              ? Math.max(config.writeBufferSize(), LargeBuffers.BUFFER_SIZE)
              : config.writeBufferSize();
      PreadIndexOutput.Completion whenComplete =
          context.context() == IOContext.Context.FLUSH && !file.isDirect()
              ? this::flushed
              : (written, length) -> {};
      return new PreadIndexOutput(backend, name, file, bufferSize, whenComplete);
    } catch (Throwable t) {
      closeAfter(t, file);
      throw t;
    }
  }

  /**
   * A small file that has been flushed will be searched next: its bytes are at hand now. Where they
   * can't be had the file is whole all the same, so that is no reason to fail the flush: who opens
   * it is told, should it be in trouble then.
   */
  private void flushed(String name, long length) {
    if (fresh.wants(length)) {
      try {
        fresh.add(name, () -> backend.open(resolve(name), OpenMode.READ));
      } catch (IOException e) {
        LOGGER.log(
            Level.DEBUG, () -> "read through the cache when first searched: " + resolve(name), e);
      }
    }
  }

  @Override
  public void deleteFile(String name) throws IOException {
    // Before it, as some file systems keep a deleted file's name as long as it is open; and after
    // it, as another thread may have opened the file in between.
    fresh.remove(name);
    try {
      super.deleteFile(name);
    } finally {
      fresh.remove(name);
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

  /** As {@code FSDirectory} does it, but also where the thread is interrupted. */
  @Override
  public void syncMetaData() throws IOException {
    ensureOpen();
    backend.syncFolder(nativeDirectory);
    deletePendingFiles();
  }

  final Path resolve(String name) {
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

  /** The cache in use: that of the configuration, or the one that is shared. */
  public BlockCache cache() {
    return cache;
  }

  final Backend backend() {
    return backend;
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
