/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import dev.pread.BlockCache;
import dev.pread.DirectPreadDirectory;
import dev.pread.PreadConfig;
import dev.pread.PreadDirectory;
import dev.pread.benchmarks.index.DirectoryKind;
import dev.pread.posix.Backend;
import dev.pread.posix.BackendRegistry;
import dev.pread.posix.OpenMode;
import dev.pread.posix.PosixFile;
import dev.pread.posix.SystemCalls;
import dev.pread.store.FileReader;
import java.io.Closeable;
import java.io.EOFException;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.OptionalLong;
import org.apache.lucene.misc.store.DirectIODirectory;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.apache.lucene.store.NIOFSDirectory;
import org.apache.lucene.store.NoLockFactory;
import org.apache.lucene.util.IOSupplier;
import org.apache.lucene.util.IOUtils;

/**
 * Holds a file that is open in one of the ways that are compared. It is thread-safe; closing it
 * takes everything away that its readers use.
 *
 * @param usesPageCache whether direct I/O was asked for, and could not be had
 */
record Source(IOSupplier<BlockReader> readers, Closeable resource, boolean usesPageCache)
    implements Closeable {

  Source(IOSupplier<BlockReader> readers, Closeable resource) {
    this(readers, resource, false);
  }

  /** Makes a reader for one thread, with buffers of its own. */
  BlockReader reader() throws IOException {
    return readers.get();
  }

  @Override
  public void close() throws IOException {
    resource.close();
  }

  /** Reads blocks for one thread. */
  interface BlockReader {
    /** Fills an array; fails if the file ends before. */
    void read(long position, byte[] into) throws IOException;

    /** Says which blocks of so many bytes are read next, where this way does so. */
    default void prefetch(long[] positions, int bytes) throws IOException {}
  }

  /** Opens a channel for reads into a direct buffer and a copy, or into the array. */
  static Source channel(Path file, int bytes, boolean direct) throws IOException {
    FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
    return new Source(
        () -> {
          ByteBuffer buffer = direct ? ByteBuffer.allocateDirect(bytes) : null;
          return (position, into) -> {
            ByteBuffer target = direct ? buffer.clear() : ByteBuffer.wrap(into);
            checkCount(channel.read(target, position), into.length, position);
            if (direct) {
              buffer.flip().get(into);
            }
          };
        },
        channel);
  }

  /**
   * Opens a stream for one reader, which reads on from where it is unless it is to go back to 0.
   */
  static Source stream(Path file) throws IOException {
    FileInputStream in = new FileInputStream(file.toFile());
    return new Source(
        () ->
            (position, into) -> {
              if (position == 0) {
                in.getChannel().position(0);
              }
              checkCount(in.readNBytes(into, 0, into.length), into.length, position);
            },
        in);
  }

  /** Opens a file by a backend of this project, to be read as inputs read past the cache. */
  static Source backend(Path file, String name) throws IOException {
    Backend backend = BackendRegistry.get(name);
    PosixFile opened = backend.open(file, OpenMode.READ);
    return new Source(
        () -> {
          FileReader reader = new FileReader(backend, opened);
          return (position, into) -> reader.readBytes(position, into, 0, into.length);
        },
        opened);
  }

  static Source naiveJni(Path file) throws IOException {
    NaiveJni.load();
    int fd = FfmCalls.open(file, OpenMode.READ);
    return new Source(
        () ->
            (position, into) ->
                checkCount(NaiveJni.read(fd, into, position), into.length, position),
        () -> FfmCalls.close(fd));
  }

  static int check(int result, String call) throws IOException {
    if (result < 0) {
      throw new IOException(call + " returned " + result);
    }
    return result;
  }

  static void checkCount(long n, long length, long position) throws IOException {
    if (n != length) {
      throw new EOFException("a read of " + length + " bytes at " + position + " returned " + n);
    }
  }

  /**
   * Copies out of anonymous memory that holds the whole file, in huge pages where the system has
   * any, as those of the caches are; no way to read the file can beat it.
   */
  static Source memory(Path file, int bytes) throws IOException {
    int chunk = (1 << 30) / bytes * bytes;
    SystemCalls calls = BackendRegistry.get(BackendRegistry.AUTO).calls();
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      ByteBuffer[] chunks = new ByteBuffer[(int) ((channel.size() - 1) / chunk) + 1];
      for (int i = 0; i < chunks.length; i++) {
        long start = (long) i * chunk;
        chunks[i] = calls.map((int) Math.min(chunk, channel.size() - start));
        checkCount(channel.read(chunks[i].duplicate(), start), chunks[i].capacity(), start);
      }
      return new Source(
          () ->
              (position, into) ->
                  chunks[(int) (position / chunk)].get((int) (position % chunk), into),
          () -> {});
    }
  }

  /**
   * Opens a file by Lucene's own direct I/O, which is meant for merges.
   *
   * @param bytes of its buffer: with the 256 KiB it has otherwise, each jump reads 256 KiB
   */
  static Source directIo(Path file, int bytes) throws IOException {
    NIOFSDirectory files = new NIOFSDirectory(file.getParent(), NoLockFactory.INSTANCE);
    Directory directory =
        new DirectIODirectory(files, bytes, 0) {
          @Override
          protected boolean useDirectIO(String name, IOContext context, OptionalLong length) {
            return true;
          }
        };
    return lucene(directory, file, IOContext.DEFAULT, false);
  }

  /**
   * Opens a file through a directory of ours with a cache of its own, which reads again what the
   * last cache of this file had.
   */
  static Source withHotList(DirectoryKind kind, Path file) throws IOException {
    Path list = file.resolveSibling(file.getFileName() + "-hot");
    BlockCache cache = BlockCache.builder().hotList(list).build();
    PreadConfig config = PreadConfig.builder().cache(cache).build();
    Path folder = file.getParent();
    Directory directory =
        kind.type() == PreadDirectory.class
            ? new PreadDirectory(folder, NoLockFactory.INSTANCE, config)
            : new DirectPreadDirectory(folder, NoLockFactory.INSTANCE, config);
    Source source = lucene(directory, file, IOContext.DEFAULT, false);
    return new Source(source.readers(), () -> IOUtils.close(source, cache));
  }

  /**
   * Opens a file through a directory; readers have clones of its input.
   *
   * @param prefetches whether {@code IndexInput.prefetch} comes before the reads
   */
  static Source lucene(Directory directory, Path file, IOContext context, boolean prefetches)
      throws IOException {
    IndexInput master = directory.openInput(file.getFileName().toString(), context);
    return new Source(
        () -> new Input(master.clone(), prefetches),
        () -> IOUtils.close(master, directory),
        directory instanceof DirectPreadDirectory direct && direct.usesPageCache());
  }

  private record Input(IndexInput in, boolean prefetches) implements BlockReader {
    @Override
    public void read(long position, byte[] into) throws IOException {
      if (in.getFilePointer() != position) {
        in.seek(position);
      }
      in.readBytes(into, 0, into.length);
    }

    @Override
    public void prefetch(long[] positions, int bytes) throws IOException {
      if (prefetches) {
        for (long position : positions) {
          in.prefetch(position, bytes);
        }
      }
    }
  }
}
