/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread;

import dev.pread.posix.PosixFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.apache.lucene.store.LockFactory;

/**
 * {@link DirectPreadDirectory} that writes merges and flushes of all sizes directly, with a cache
 * of its own of a few blocks: for {@code -Dtests.directory}.
 *
 * <p>Each second file that is opened for a merge or a flush it opens as for a search, in the cache:
 * Lucene's tests open many files as such, whatever is done with them.
 */
public final class TinyDirectDirectory extends BasePreadDirectory {

  private static final int BLOCKS = 24;
  private static final int BLOCK_BITS = 12;

  private final DirectPreadDirectory direct;
  private final AtomicInteger opened = new AtomicInteger();

  /** Creates it with what {@code LuceneTestCase} gives to every directory. */
  public TinyDirectDirectory(Path path, LockFactory lockFactory) throws IOException {
    this(
        path,
        lockFactory,
        PreadConfig.builder()
            .directWriteMinSize(0)
            .cache(Fixtures.tinyCache(BLOCKS, BLOCK_BITS))
            .build());
  }

  private TinyDirectDirectory(Path path, LockFactory lockFactory, PreadConfig config)
      throws IOException {
    super(path, lockFactory, config, Fixtures.backend(), config.cache());
    direct = new DirectPreadDirectory(path, lockFactory, config, Fixtures.backend());
  }

  @Override
  public IndexInput openInput(String name, IOContext context) throws IOException {
    boolean asItIs = opened.getAndIncrement() % 2 == 0;
    return super.openInput(name, asItIs ? context : Fixtures.asSearched(context));
  }

  @Override
  PosixFile openForReading(Path path) throws IOException {
    return direct.openForReading(path);
  }

  @Override
  PosixFile openForWriting(Path path, IOContext context) throws IOException {
    return direct.openForWriting(path, context);
  }

  @Override
  protected void fsync(String name) throws IOException {
    direct.fsync(name);
  }

  @Override
  @SuppressWarnings("UnsynchronizedOverridesSynchronized") // The lock of super is enough for it.
  public void close() throws IOException {
    super.close();
    direct.close();
    cache().close();
  }
}
