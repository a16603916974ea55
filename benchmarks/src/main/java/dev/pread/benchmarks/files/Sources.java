/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import dev.pread.BlockCache;
import dev.pread.DirectPreadDirectory;
import dev.pread.PreadConfig;
import dev.pread.PreadDirectory;
import dev.pread.benchmarks.machine.ByteSize;
import dev.pread.posix.Backend;
import dev.pread.posix.BackendRegistry;
import dev.pread.posix.OpenMode;
import dev.pread.posix.PosixFile;
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
import org.apache.lucene.store.FSDirectory;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.apache.lucene.store.NIOFSDirectory;
import org.apache.lucene.store.NoLockFactory;
import org.apache.lucene.util.IOUtils;

/** The sources that need no FFM: the JDK's, Lucene's, and those of this project. */
final class Sources {
  private static final String BLOCK = "dev.pread.cache.block.bytes";

  private Sources() {}

  /** One source of readers that are all made alike. */
  private record Simple(Readers readers, Closeable closeable) implements Source {
    interface Readers {
      Source.BlockReader reader() throws IOException;
    }

    @Override
    public BlockReader reader() throws IOException {
      return readers.reader();
    }

    @Override
    public void close() throws IOException {
      closeable.close();
    }
  }

  /** Positional reads of one channel, into a direct buffer and a copy, or into the array. */
  static Source channel(Path file, int bytes, boolean direct) throws IOException {
    FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
    return new Simple(
        () ->
            direct
                ? new DirectBuffer(channel, ByteBuffer.allocateDirect(bytes))
                : new HeapBuffer(channel),
        channel);
  }

  private static void fill(FileChannel channel, ByteBuffer buffer, long position)
      throws IOException {
    long next = position;
    while (buffer.hasRemaining()) {
      int n = channel.read(buffer, next);
      if (n < 0) {
        throw new EOFException("the file ends at " + next);
      }
      next += n;
    }
  }

  private record DirectBuffer(FileChannel channel, ByteBuffer buffer)
      implements Source.BlockReader {
    @Override
    public void read(long position, byte[] into) throws IOException {
      buffer.clear().limit(into.length);
      fill(channel, buffer, position);
      buffer.flip().get(into);
    }
  }

  private static final class HeapBuffer implements Source.BlockReader {
    private final FileChannel channel;
    private ByteBuffer buffer = ByteBuffer.allocate(0);

    HeapBuffer(FileChannel channel) {
      this.channel = channel;
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // The very same array has its buffer already.
    public void read(long position, byte[] into) throws IOException {
      if (buffer.array() != into) {
        buffer = ByteBuffer.wrap(into);
      }
      fill(channel, buffer.clear(), position);
    }
  }

  /** A stream of one reader, which reads on from where it is unless it is to go back to 0. */
  static Source stream(Path file) throws IOException {
    FileInputStream in = new FileInputStream(file.toFile());
    return new Simple(
        () ->
            (position, into) -> {
              if (position == 0) {
                in.getChannel().position(0);
              }
              int n = in.readNBytes(into, 0, into.length);
              if (n != into.length) {
                throw new EOFException("the file ends at " + (position + n));
              }
            },
        in);
  }

  /** A backend of this project, as inputs read past the cache: into the array where it can. */
  static Source backend(Path file, String name) throws IOException {
    Backend backend = BackendRegistry.get(name);
    PosixFile opened = backend.open(file, OpenMode.READ);
    return new Simple(
        () -> {
          FileReader reader = new FileReader(backend, opened);
          return (position, into) -> reader.readBytes(position, into, 0, into.length);
        },
        opened);
  }

  /** Critical sections of JNI, whatever the disk does. */
  static Source naiveJni(Path file) throws IOException {
    NaiveJni.load();
    int fd = FfmCalls.open(file, OpenMode.READ);
    return new Simple(
        () ->
            (position, into) ->
                FfmCalls.checkCount(NaiveJni.read(fd, into, position), into.length, position),
        () -> FfmCalls.close(fd));
  }

  /**
   * Copies out of anonymous memory that holds the whole file, in huge pages where the system has
   * any: what no way to read it can beat.
   *
   * @param bytes of a block
   */
  static Source memory(Path file, int bytes) throws IOException {
    int chunk = (1 << 30) / bytes * bytes;
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      ByteBuffer[] chunks = new ByteBuffer[(int) ((channel.size() - 1) / chunk) + 1];
      for (int i = 0; i < chunks.length; i++) {
        long start = (long) i * chunk;
        int length = (int) Math.min(chunk, channel.size() - start);
        // This is the memory of the caches.
        chunks[i] = BackendRegistry.get(BackendRegistry.AUTO).calls().map(length);
        fill(channel, chunks[i].duplicate(), start);
      }
      return new Simple(
          () ->
              (position, into) ->
                  chunks[(int) (position / chunk)].get((int) (position % chunk), into),
          () -> {});
    }
  }

  /** Clones of a directory's input. */
  static Source lucene(Directory directory, Path file, IOContext context) throws IOException {
    return new Lucene(directory, () -> {}, open(directory, file, context), false);
  }

  private static IndexInput open(Directory directory, Path file, IOContext context)
      throws IOException {
    try {
      return directory.openInput(file.getFileName().toString(), context);
    } catch (IOException | RuntimeException | Error e) {
      IOUtils.closeWhileSuppressingExceptions(e, directory);
      throw e;
    }
  }

  /** The same with {@code IndexInput.prefetch} before the reads. */
  static Source prefetching(Source source) {
    Lucene lucene = (Lucene) source;
    return new Lucene(lucene.directory(), lucene.cache(), lucene.master(), true);
  }

  /**
   * Lucene's own direct I/O, which is meant for merges, for every file.
   *
   * @param bytes of a block, and of its buffer: with the 256 KiB it has otherwise, each jump reads
   *     256 KiB
   */
  static Source directIo(Path file, int bytes) throws IOException {
    FSDirectory files = new NIOFSDirectory(file.getParent(), NoLockFactory.INSTANCE);
    return lucene(new AlwaysDirect(files, bytes), file, IOContext.DEFAULT);
  }

  /** Returns the name of the system property that sets the size of a directory's cache. */
  static String cacheProperty(boolean direct) {
    return direct ? "dev.pread.direct.cache.bytes" : "dev.pread.cache.bytes";
  }

  /**
   * A directory of this project, with an empty cache of its own where a system property says how
   * large it is to be.
   */
  static Source ours(Path file, IOContext context, boolean direct) throws IOException {
    ByteSize size = new ByteSize();
    String bytes = System.getProperty(cacheProperty(direct));
    String block = System.getProperty(BLOCK);
    PreadConfig.Builder config = PreadConfig.builder();
    Closeable own = () -> {};
    if (bytes != null) {
      BlockCache cache =
          new BlockCache(
              size.convert(bytes),
              block == null ? BlockCache.DEFAULT_BLOCK_SIZE : Math.toIntExact(size.convert(block)));
      config.cache(cache);
      own = cache;
    }
    Path folder = file.getParent();
    Directory directory =
        direct
            ? new DirectPreadDirectory(folder, NoLockFactory.INSTANCE, config.build())
            : new PreadDirectory(folder, NoLockFactory.INSTANCE, config.build());
    return new Lucene(directory, own, open(directory, file, context), false);
  }

  private record Lucene(Directory directory, Closeable cache, IndexInput master, boolean prefetches)
      implements Source {
    @Override
    public BlockReader reader() {
      IndexInput in = master.clone();
      return prefetches ? new PrefetchingInput(in) : new Input(in);
    }

    @Override
    public boolean fellBack() {
      return directory instanceof DirectPreadDirectory direct && direct.usesPageCache();
    }

    @Override
    public void close() throws IOException {
      IOUtils.close(master, directory, cache);
    }
  }

  private static void read(IndexInput in, long position, byte[] into) throws IOException {
    if (in.getFilePointer() != position) {
      in.seek(position);
    }
    in.readBytes(into, 0, into.length);
  }

  private record Input(IndexInput in) implements Source.BlockReader {
    @Override
    public void read(long position, byte[] into) throws IOException {
      Sources.read(in, position, into);
    }
  }

  private record PrefetchingInput(IndexInput in) implements Source.BlockReader {
    @Override
    public void read(long position, byte[] into) throws IOException {
      Sources.read(in, position, into);
    }

    @Override
    public void prefetch(long[] positions, int bytes) throws IOException {
      for (long position : positions) {
        in.prefetch(position, bytes);
      }
    }
  }

  private static final class AlwaysDirect extends DirectIODirectory {
    AlwaysDirect(FSDirectory files, int bufferSize) throws IOException {
      super(files, bufferSize, 0);
    }

    @Override
    protected boolean useDirectIO(String name, IOContext context, OptionalLong fileLength) {
      return true;
    }
  }
}
