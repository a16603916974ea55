/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread;

import dev.pread.posix.OpenMode;
import dev.pread.posix.PosixFile;
import java.io.IOException;
import java.nio.file.Path;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.apache.lucene.store.LockFactory;

/**
 * {@link PreadDirectory} with a cache of its own of a few tiny blocks, so that everything is
 * evicted while it is read: for {@code -Dtests.directory}.
 *
 * <p>It takes no file for one of a merge or a flush. Lucene's tests open many files as such,
 * whatever is done with them, and those are read past the cache, which other tests see to.
 */
public final class TinyCacheDirectory extends BasePreadDirectory {

  private static final int BLOCKS = 13;
  private static final int BLOCK_BITS = 9;

  /** Creates it with what {@code LuceneTestCase} gives to every directory. */
  public TinyCacheDirectory(Path path, LockFactory lockFactory) throws IOException {
    super(
        path,
        lockFactory,
        PreadConfig.DEFAULT,
        Fixtures.backend(),
        Fixtures.tinyCache(BLOCKS, BLOCK_BITS));
  }

  @Override
  public IndexInput openInput(String name, IOContext context) throws IOException {
    return super.openInput(name, Fixtures.asSearched(context));
  }

  @Override
  PosixFile openForReading(Path path) throws IOException {
    return backend().open(path, OpenMode.READ);
  }

  @Override
  PosixFile openForWriting(Path path, IOContext context) throws IOException {
    return backend().open(path, OpenMode.CREATE);
  }

  @Override
  @SuppressWarnings("UnsynchronizedOverridesSynchronized") // The lock of super is enough for it.
  public void close() throws IOException {
    super.close();
    cache().close();
  }
}
