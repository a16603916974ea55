/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.grid;

import dev.pread.BlockCache;
import dev.pread.DirectPreadDirectory;
import dev.pread.PreadConfig;
import dev.pread.PreadDirectory;
import dev.pread.benchmarks.machine.ByteSize;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.OptionalLong;
import org.apache.lucene.misc.store.DirectIODirectory;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FSDirectory;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.apache.lucene.store.MMapDirectory;
import org.apache.lucene.store.NIOFSDirectory;
import org.apache.lucene.store.NoLockFactory;
import org.apache.lucene.util.IOUtils;

/** A file that is read through clones of a directory's {@link IndexInput}. */
final class LuceneSource implements Source {
  private static final String CACHE = "dev.pread.cache.bytes";
  private static final String BLOCK = "dev.pread.cache.block.bytes";
  private static final long SMALL_CACHE = 8L << 20;

  private final Directory directory;
  private final Closeable cache;
  private final boolean prefetches;
  private final IndexInput master;

  private LuceneSource(Directory directory, Closeable cache, Path file, boolean prefetches)
      throws IOException {
    this.directory = directory;
    this.cache = cache;
    this.prefetches = prefetches;
    boolean usable = false;
    try {
      master = directory.openInput(file.getFileName().toString(), IOContext.DEFAULT);
      usable = true;
    } finally {
      if (!usable) {
        IOUtils.close(directory, cache);
      }
    }
  }

  static LuceneSource mmap(Path file, boolean prefetches) throws IOException {
    Directory directory = new MMapDirectory(file.getParent(), NoLockFactory.INSTANCE);
    return new LuceneSource(directory, null, file, prefetches);
  }

  static LuceneSource niofs(Path file) throws IOException {
    Directory directory = new NIOFSDirectory(file.getParent(), NoLockFactory.INSTANCE);
    return new LuceneSource(directory, null, file, false);
  }

  /**
   * Lucene's own direct I/O, which is meant for merges, for every file.
   *
   * @param bytes of a block, and of its buffer: with the 256 KiB it has otherwise, each jump reads
   *     256 KiB
   */
  static LuceneSource directIo(Path file, int bytes) throws IOException {
    FSDirectory files = new NIOFSDirectory(file.getParent(), NoLockFactory.INSTANCE);
    return new LuceneSource(new AlwaysDirect(files, bytes), null, file, false);
  }

  /** With a cache of its own, empty, of the size that the system property says. */
  static LuceneSource pread(Path file, boolean prefetches) throws IOException {
    BlockCache cache = newCache();
    PreadConfig config = PreadConfig.builder().cache(cache).build();
    Directory directory = new PreadDirectory(file.getParent(), NoLockFactory.INSTANCE, config);
    return new LuceneSource(directory, cache, file, prefetches);
  }

  /** As {@link #pread}. */
  static LuceneSource direct(Path file, boolean prefetches) throws IOException {
    BlockCache cache = newCache();
    PreadConfig config = PreadConfig.builder().cache(cache).build();
    Directory directory =
        new DirectPreadDirectory(file.getParent(), NoLockFactory.INSTANCE, config);
    return new LuceneSource(directory, cache, file, prefetches);
  }

  private static BlockCache newCache() {
    ByteSize size = new ByteSize();
    String bytes = System.getProperty(CACHE);
    String block = System.getProperty(BLOCK);
    return new BlockCache(
        bytes == null ? SMALL_CACHE : size.convert(bytes),
        block == null ? BlockCache.DEFAULT_BLOCK_SIZE : Math.toIntExact(size.convert(block)));
  }

  /** Whether direct I/O was asked for, and the file is read through the page cache all the same. */
  boolean fellBack() {
    return directory instanceof DirectPreadDirectory direct && direct.usesPageCache();
  }

  @Override
  public BlockReader reader() {
    IndexInput in = master.clone();
    return prefetches ? new Prefetching(in) : new Plain(in);
  }

  @Override
  public void close() throws IOException {
    IOUtils.close(master, directory, cache);
  }

  private static void readFrom(IndexInput in, long position, byte[] into) throws IOException {
    if (in.getFilePointer() != position) {
      in.seek(position);
    }
    in.readBytes(into, 0, into.length);
  }

  private record Plain(IndexInput in) implements BlockReader {
    @Override
    public void read(long position, byte[] into) throws IOException {
      readFrom(in, position, into);
    }
  }

  private record Prefetching(IndexInput in) implements BlockReader {
    @Override
    public void read(long position, byte[] into) throws IOException {
      readFrom(in, position, into);
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
